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


def has_struct(name):
    try:
        struct(name)
    except gdb.error:
        return False
    return True


def values_of(enum):
    return {field.name: field.enumval for field in gdb.lookup_type(f"enum {enum}").fields()}


def communicator_lines():
    comm = fields_of(struct("ncclComm"))
    device_comm = fields_of(comm["devComm"][2].target())
    for name in ("commHash", "rank", "nRanks", "devComm"):
        yield f"kComm_{name}", offset(comm, name)
    yield "kDeviceComm_abortFlag", offset(device_comm, "abortFlag")


def list_lines():
    """NCCL 2.20 and 2.21: lists of ncclWork."""
    work, header = fields_of(struct("ncclWork")), fields_of(struct("ncclWorkHeader"))
    element, transfer = fields_of(struct("ncclWorkElem")), fields_of(struct("ncclWorkElemP2p"))
    kinds, directions = values_of("ncclWorkType"), values_of("ncclWorkP2PType")
    yield "kWork_size", struct("ncclWork").sizeof
    yield "kWork_next", offset(header, "workNext")
    yield "kWork_function", offset(header, "funcIndex")
    yield "kWork_flags", offset(header, "isLast")
    yield "kWork_type", offset(header, "type")
    for name, array, size in (
        ("coll", "elems", struct("ncclWorkElem").sizeof),
        ("p2p", "p2pElems", struct("ncclWorkElemP2p").sizeof),
        ("reg", "regElems", struct("ncclWorkElemReg").sizeof),
    ):
        yield f"kWork_elements_{name}", offset(work, array)
        yield f"kWork_{name}Count", work[array][2].sizeof // size
    yield "kWork_p2p", kinds["ncclWorkTypeP2p"]
    yield "kWork_coll_reg", kinds["ncclWorkTypeRegColl"]
    yield "kColl_size", struct("ncclWorkElem").sizeof
    yield "kReg_size", struct("ncclWorkElemReg").sizeof
    yield "kColl_flags", offset(element, "isUsed")
    for name in ("root", "sendbuff", "recvbuff", "count"):
        yield f"kColl_{name}", offset(element, name)
    yield "kP2p_size", struct("ncclWorkElemP2p").sizeof
    yield "kP2p_peer", offset(transfer, "peer")
    yield "kP2p_type", offset(transfer, "p2pType")
    yield "kP2p_countHi", offset(transfer, "countHi32")
    yield "kP2p_countLo", offset(transfer, "countLo32")
    yield "kP2p_send", directions["ncclWorkP2pTypeSend"]
    yield "kP2p_recv", directions["ncclWorkP2pTypeRecv"]


def batch_lines():
    """NCCL from 2.24 on: batches of works in the kernel's arguments."""
    arguments = fields_of(struct("ncclDevKernelArgs"))
    batch = fields_of(struct("ncclDevWorkBatch"))
    collective = fields_of(struct("ncclDevWorkColl"))
    by_channel = fields_of(collective["cbd"][2])
    p2p = fields_of(struct("ncclDevWorkP2p"))
    storage, work = values_of("ncclDevWorkStorageType"), values_of("ncclDevWorkType")
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
    in_lists = has_struct("ncclWork")
    lines = [*communicator_lines(), *(list_lines() if in_lists else batch_lines())]
    body = "".join(f"inline constexpr unsigned long {name} = {value};\n" for name, value in lines)
    define = "#define HANGSTACK_LAB_WORK_LISTS\n\n" if in_lists else ""
    with open(os.environ["LAYOUT_OUT"], "w") as header:
        header.write(
            f"#pragma once\n\n{define}namespace hangstack::standin::layout {{\n\n{body}\n}}"
            "  // namespace hangstack::standin::layout\n"
        )


main()
