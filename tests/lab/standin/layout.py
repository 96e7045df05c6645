"""Run by gdb on a libnccl.so.2: prints a header with where the fields that the stand-in reads lie, from its own DWARF.

LAYOUT_OUT=FILE gdb -batch -nx -iex 'set auto-solib-add off' -x layout.py libnccl.so.2
"""

import os

import gdb


def struct(name):
    return gdb.lookup_type(f"struct {name}")


def fields_of(kind):
    """{name: (bit offset, bits)}; the fields of unnamed members count as the struct's own."""
    found = {}
    for field in kind.fields():
        size = field.bitsize or 8 * field.type.sizeof
        if field.name:
            found[field.name] = (field.bitpos, size, field.type)
        else:
            for name, (offset, bits, inner) in fields_of(field.type).items():
                found[name] = (field.bitpos + offset, bits, inner)
    return found


def offset(fields, name):
    bits = fields[name][0]
    assert bits % 8 == 0, f"{name} does not start at a byte"
    return bits // 8


def lines():
    comm = fields_of(struct("ncclComm"))
    device_comm = fields_of(comm["devComm"][2].target())
    arguments = fields_of(struct("ncclDevKernelArgs"))
    batch = fields_of(struct("ncclDevWorkBatch"))
    collective = fields_of(struct("ncclDevWorkColl"))
    by_channel = fields_of(collective["cbd"][2])
    p2p = fields_of(struct("ncclDevWorkP2p"))
    storage = {field.name: field.enumval for field in gdb.lookup_type("enum ncclDevWorkStorageType").fields()}
    work = {field.name: field.enumval for field in gdb.lookup_type("enum ncclDevWorkType").fields()}
    for name in ("commHash", "rank", "nRanks", "devComm"):
        yield f"kComm_{name}", offset(comm, name)
    yield "kDeviceComm_abortFlag", offset(device_comm, "abortFlag")
    yield "kArgs_size", struct("ncclDevKernelArgs").sizeof
    for name in ("comm", "channelMask", "workStorageType", "workMask", "workBuf"):
        yield f"kArgs_{name}", offset(arguments, name)
    yield "kBatch_size", struct("ncclDevWorkBatch").sizeof
    for name in ("nextJump", "workType", "funcId"):
        yield f"kBatch_{name}_shift", batch[name][0] - batch["flags"][0]
        yield f"kBatch_{name}_bits", batch[name][1]
    for name in ("flags", "offsetBase", "offsetBitset"):
        yield f"kBatch_{name}", offset(batch, name)
    yield "kColl_size", struct("ncclDevWorkColl").sizeof
    for name in ("channelLo", "channelHi", "root"):
        yield f"kColl_{name}", offset(collective, name)
    for name in ("countLo", "countMid", "countHi"):
        yield f"kColl_{name}", (collective["cbd"][0] + by_channel[name][0]) // 8
    yield "kCollReg_size", struct("ncclDevWorkCollReg").sizeof
    yield "kP2p_size", struct("ncclDevWorkP2p").sizeof
    for name in ("sendBytes", "recvBytes", "sendRank", "recvRank"):
        yield f"kP2p_{name}", offset(p2p, name)
    yield "kStorage_args", storage["ncclDevWorkStorageTypeArgs"]
    yield "kWork_p2p", work["ncclDevWorkTypeP2p"]
    yield "kWork_coll", work["ncclDevWorkTypeColl"]
    yield "kWork_coll_reg", work["ncclDevWorkTypeCollReg"]
    # From NCCL 2.28 on; where there is none, a type that no batch has.
    yield "kWork_bcast", work.get("ncclDevWorkTypeBcast", 255)
    bcast = fields_of(struct("ncclDevWorkBcast")) if "ncclDevWorkTypeBcast" in work else None
    yield "kBcast_size", struct("ncclDevWorkBcast").sizeof if bcast else 1
    yield "kBcast_bytes", offset(bcast, "bytes") if bcast else 0


def main():
    gdb.execute("set max-value-size unlimited")
    body = "".join(f"inline constexpr unsigned long {name} = {value};\n" for name, value in lines())
    with open(os.environ["LAYOUT_OUT"], "w") as header:
        header.write(
            f"#pragma once\n\nnamespace hangstack::standin::layout {{\n\n{body}\n}}"
            "  // namespace hangstack::standin::layout\n"
        )


main()
