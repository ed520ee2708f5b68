"""OpenPCDet: sampling, grouping, pooling and overlaps of point clouds and boxes."""
import torch
from extension import Extension, on_device, same

PARTS = ("ball_query", "group_points", "sampling", "interpolate")
BATCH = Extension("pointnet2_batch_cuda", "OpenPCDet", "pcdet/ops/pointnet2/pointnet2_batch/src",
                  ["pointnet2_api.cpp", *(part + end for part in PARTS for end in (".cpp", "_gpu.cu"))])
AWARE = Extension("roiaware_pool3d_cuda", "OpenPCDet", "pcdet/ops/roiaware_pool3d/src", ["roiaware_pool3d.cpp", "roiaware_pool3d_kernel.cu"])
POINT = Extension("roipoint_pool3d_cuda", "OpenPCDet", "pcdet/ops/roipoint_pool3d/src", ["roipoint_pool3d.cpp", "roipoint_pool3d_kernel.cu"])
IOU = Extension("iou3d_nms_cuda", "OpenPCDet", "pcdet/ops/iou3d_nms/src",
                ["iou3d_cpu.cpp", "iou3d_nms_api.cpp", "iou3d_nms.cpp", "iou3d_nms_kernel.cu"],
                apart=["iou3d_cpu.cpp", "iou3d_nms_api.cpp", "iou3d_nms.cpp"])
BEV = Extension("bev_pool_ext", "OpenPCDet", "pcdet/ops/bev_pool/src", ["bev_pool.cpp", "bev_pool_cuda.cu"])
GROUPS = Extension("ingroup_inds_cuda", "OpenPCDet", "pcdet/ops/ingroup_inds/src", ["ingroup_inds.cpp", "ingroup_inds_kernel.cu"])


def points(batch, count):
    return torch.rand(batch, count, 3)


def squares(a, b):
    """Squared distances of points, in double precision."""
    return ((a.double()[:, :, None] - b.double()[:, None]) ** 2).sum(-1)


def empty(*shape, dtype=torch.float32):
    return torch.empty(*shape, dtype=dtype, device="cuda")


def zeros(*shape, dtype=torch.float32):
    return torch.zeros(*shape, dtype=dtype).cuda()


@BATCH.case
def ball_query(made):
    xyz, centres, radius, most = points(2, 70), points(2, 9), 0.3, 8
    found = zeros(2, 9, most, dtype=torch.int32)
    made.ball_query_wrapper(2, 70, 9, radius, most, on_device(centres), on_device(xyz), found)
    expected = torch.zeros(2, 9, most, dtype=torch.int32)
    for batch, row in ((i, j) for i in range(2) for j in range(9)):
        near = torch.nonzero(squares(centres, xyz)[batch, row] < radius ** 2).flatten()[:most]
        if len(near):
            expected[batch, row] = torch.cat([near, near[:1].expand(most - len(near))])
    same(found, expected)


def grouped(made, forward, backward, sizes, index):
    """Elements of features by an index, and the sums of gradients by it."""
    features = torch.rand(2, 4, 30)
    out, flat = empty(2, 4, *index.shape[1:]), index.flatten(1).long()
    getattr(made, forward)(2, 4, 30, *sizes, on_device(features), on_device(index), out)
    same(out.flatten(2), torch.gather(features, 2, flat[:, None].expand(-1, 4, -1)))
    gradient, sums = torch.rand(2, 4, *index.shape[1:]), zeros(2, 4, 30)
    getattr(made, backward)(2, 4, 30, *sizes, on_device(gradient), on_device(index), sums)
    same(sums, torch.zeros(2, 4, 30).scatter_add(2, flat[:, None].expand(-1, 4, -1), gradient.flatten(2)))


@BATCH.case
def group_points(made):
    grouped(made, "group_points_wrapper", "group_points_grad_wrapper", (9, 5), torch.randint(0, 30, (2, 9, 5), dtype=torch.int32))


@BATCH.case
def gather_points(made):
    grouped(made, "gather_points_wrapper", "gather_points_grad_wrapper", (11,), torch.randint(0, 30, (2, 11), dtype=torch.int32))


@BATCH.case
def farthest_point_sampling(made):
    xyz, chosen = points(2, 50), empty(2, 10, dtype=torch.int32)
    made.farthest_point_sampling_wrapper(2, 50, 10, on_device(xyz), torch.full((2, 50), 1e10).cuda(), chosen)
    expected = torch.zeros(2, 10, dtype=torch.int32)
    for batch in range(2):
        nearest = torch.full((50,), 1e10, dtype=torch.float64)
        for i in range(1, 10):
            nearest = torch.minimum(nearest, squares(xyz, xyz)[batch, expected[batch, i - 1]])
            expected[batch, i] = nearest.argmax()
    same(chosen, expected)


@BATCH.case
def three_nearest_and_interpolate(made):
    unknown, known = points(2, 20), points(2, 15)
    squared, index = empty(2, 20, 3), empty(2, 20, 3, dtype=torch.int32)
    made.three_nn_wrapper(2, 20, 15, on_device(unknown), on_device(known), squared, index)
    nearest = squares(unknown, known).topk(3, largest=False)
    same(index, nearest.indices.int())
    same(squared, nearest.values.float())
    features, weight = torch.rand(2, 4, 15), torch.rand(2, 20, 3)
    out, place = empty(2, 4, 20), nearest.indices.flatten(1)[:, None].expand(-1, 4, -1)
    made.three_interpolate_wrapper(2, 4, 15, 20, on_device(features), index, on_device(weight), out)
    same(out, (torch.gather(features, 2, place).view(2, 4, 20, 3) * weight[:, None]).sum(-1))
    gradient, sums = torch.rand(2, 4, 20), zeros(2, 4, 15)
    made.three_interpolate_grad_wrapper(2, 4, 20, 15, on_device(gradient), index, on_device(weight), sums)
    same(sums, torch.zeros(2, 4, 15).scatter_add(2, place, (gradient[..., None] * weight[:, None]).flatten(2)))


def boxes_of(count, heading=True):
    """Boxes within a cube of edge 4: x, y, z, dx, dy, dz, heading."""
    turned = torch.rand(count, 1) * 3 if heading else torch.zeros(count, 1)
    return torch.cat([torch.rand(count, 3) * 4, torch.rand(count, 3) * 2 + 0.5, turned], 1)


def local(cloud, boxes):
    """The place of each point along the axes of each box, and whether it is inside."""
    offset = (cloud[None] - boxes[:, None, :3]).double()
    cosine, sine = torch.cos(-boxes[:, 6:]).double(), torch.sin(-boxes[:, 6:]).double()
    x, y = offset[..., 0] * cosine - offset[..., 1] * sine, offset[..., 0] * sine + offset[..., 1] * cosine
    place = torch.stack([x, y, offset[..., 2]], -1)
    return place, (place.abs() < boxes[:, None, 3:6] / 2).all(-1)


@AWARE.case
def points_in_boxes(made):
    cloud, boxes = torch.rand(300, 3) * 4, boxes_of(5)
    found = torch.full((1, 300), -1, dtype=torch.int32).cuda()
    made.points_in_boxes_gpu(on_device(boxes[None]), on_device(cloud[None]), found)
    inside = local(cloud, boxes)[1]
    same(found[0], torch.where(inside.any(0), inside.int().argmax(0), -1).int())


def pooled(made, method, reduce):
    cloud, boxes, features = torch.rand(200, 3) * 4, boxes_of(3), torch.rand(200, 5)
    argmax, voxels = zeros(3, 2, 3, 4, 5, dtype=torch.int32), zeros(3, 2, 3, 4, 100, dtype=torch.int32)
    out = zeros(3, 2, 3, 4, 5)
    made.forward(on_device(boxes), on_device(cloud), on_device(features), argmax, voxels, out, method)
    place, inside = local(cloud, boxes)
    cell = ((place + boxes[:, None, 3:6] / 2) / (boxes[:, None, 3:6] / torch.tensor([2, 3, 4]))).long()
    cell = torch.minimum(cell.clamp(min=0), torch.tensor([1, 2, 3]))
    expected, gradient = torch.zeros(3, 2, 3, 4, 5), torch.rand(3, 2, 3, 4, 5)
    sums = torch.zeros(200, 5)
    for box, x, y, z in ((b, x, y, z) for b in range(3) for x in range(2) for y in range(3) for z in range(4)):
        here = torch.nonzero(inside[box] & (cell[box] == torch.tensor([x, y, z])).all(-1)).flatten()
        if len(here):
            expected[box, x, y, z], back = reduce(features[here], gradient[box, x, y, z])
            sums.index_add_(0, here, back)
    same(out, expected)
    made_sums = zeros(200, 5)
    made.backward(voxels, argmax, on_device(gradient), made_sums, method)
    same(made_sums, sums)


@AWARE.case
def maximum_of_voxels(made):
    def reduce(values, gradient):
        best = values.max(0)
        return best.values, torch.zeros_like(values).scatter(0, best.indices[None], gradient[None])

    pooled(made, 0, reduce)


@AWARE.case
def mean_of_voxels(made):
    pooled(made, 1, lambda values, gradient: (values.mean(0), (gradient / len(values)).expand_as(values)))


@POINT.case
def points_of_boxes(made):
    cloud, boxes, features, most = torch.rand(1, 200, 3) * 4, torch.cat([boxes_of(3), boxes_of(1) + 9])[None], torch.rand(1, 200, 5), 16
    out, none = zeros(1, 4, most, 8), zeros(1, 4, dtype=torch.int32)
    made.forward(on_device(cloud), on_device(boxes), on_device(features), out, none)
    expected = torch.zeros(1, 4, most, 8)
    for box, inside in enumerate(local(cloud[0], boxes[0])[1]):
        here = torch.nonzero(inside).flatten()[:most]
        if len(here):
            here = here[torch.arange(most) % len(here)]
            expected[0, box] = torch.cat([cloud[0, here], features[0, here]], 1)
    same(out, expected)
    same(none, (expected.flatten(2).abs().sum(-1) == 0).int())


@IOU.case
def overlap_of_turned_boxes(made):
    a, b = boxes_of(20), boxes_of(17)
    expected, area = torch.zeros(20, 17), lambda boxes: boxes[:, 3] * boxes[:, 4]
    made.boxes_iou_bev_cpu(a, b, expected)
    found, overlap = empty(20, 17), empty(20, 17)
    made.boxes_iou_bev_gpu(on_device(a), on_device(b), found)
    same(found, expected, rtol=1e-3, atol=1e-4)
    made.boxes_overlap_bev_gpu(on_device(a), on_device(b), overlap)
    area_of_both = expected * (area(a)[:, None] + area(b)) / (1 + expected)
    same(overlap, area_of_both, rtol=1e-3, atol=1e-3)
    for name in ("boxes_aligned_overlap_bev_gpu", "paired_boxes_overlap_bev_gpu"):
        pairs = empty(17, 1)
        getattr(made, name)(on_device(a[:17].contiguous()), on_device(b), pairs)
        same(pairs[:, 0], area_of_both[:17].diagonal(), rtol=1e-3, atol=1e-3)


def kept(overlap, threshold):
    """Boxes that no kept box before them overlaps by more."""
    chosen = []
    for i in range(len(overlap)):
        if all(overlap[j, i] <= threshold for j in chosen):
            chosen.append(i)
    return torch.tensor(chosen)


@IOU.case
def suppression(made):
    boxes, keep = boxes_of(100), torch.zeros(100, dtype=torch.int64)
    overlap = torch.zeros(100, 100)
    made.boxes_iou_bev_cpu(boxes, boxes, overlap)
    count = made.nms_gpu(on_device(boxes), keep, 0.2)
    same(keep[:count], kept(overlap, 0.2))
    straight = boxes_of(100, heading=False)
    low, high = straight[:, :2] - straight[:, 3:5] / 2, straight[:, :2] + straight[:, 3:5] / 2
    both = (torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)).clamp(min=0).prod(-1)
    area = (high - low).prod(-1)
    count = made.nms_normal_gpu(on_device(straight), keep, 0.2)
    same(keep[:count], kept(both / (area[:, None] + area - both), 0.2))


@BEV.case
def pillars(made):
    cells, lengths = torch.tensor([[0, 1, 0, 0], [2, 3, 0, 0], [1, 0, 0, 1]], dtype=torch.int32), torch.tensor([3, 1, 4], dtype=torch.int32)
    starts = torch.tensor([0, 3, 4], dtype=torch.int32)
    features, of_point = torch.rand(8, 40), torch.repeat_interleave(torch.arange(3), lengths)
    where = on_device(cells[of_point], lengths, starts)
    expected = torch.zeros(2, 1, 3, 4, 40)
    for point, (x, y, z, batch) in enumerate(cells[of_point].tolist()):
        expected[batch, z, x, y] += features[point]
    same(made.bev_pool_forward(on_device(features), *where, 2, 1, 3, 4), expected)
    gradient = torch.rand_like(expected)
    same(made.bev_pool_backward(on_device(gradient), *where, 2, 1, 3, 4),
         torch.stack([gradient[batch, z, x, y] for x, y, z, batch in cells[of_point].tolist()]))


@GROUPS.case
def numbers_within_groups(made):
    groups, out = torch.randint(0, 7, (300,)), empty(300, dtype=torch.int64)
    made.forward(on_device(groups), out)
    for group in range(7):  # in any order
        numbers = out.cpu()[groups == group]
        same(numbers.sort().values, torch.arange(len(numbers)))
