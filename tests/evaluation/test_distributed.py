"""Two processes under torchrun compute what one does."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import textwrap
from pathlib import Path
from unittest.mock import MagicMock

import pytest
import torch
from torch import Tensor, nn

from panda_gnn.evaluation.distributed import Workers, team

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "large-graphs.md"

GRADIENTS = """
SIZE = 2
import torch
from torch_geometric.data import Data
from torch_geometric.utils import to_undirected
from panda_gnn.evaluation.distributed import team
from panda_gnn.evaluation.batches import GraphTable
from panda_gnn.nn import PandaGNN

torch.set_default_dtype(torch.float64)
torch.manual_seed(5)
graphs = []
for n in range(5, 16):
    node = torch.arange(n)
    edges = torch.stack([node.repeat(2), torch.cat([(node + 1) % n, node * node % n])])
    graphs.append(Data(x=torch.randn(n, 3), edge_index=to_undirected(edges), y=n % 2))
table = GraphTable.collate(graphs)
table = table.with_nodes(high=torch.arange(table.x.size(0)) % 3 == 0)


def gradients(model, rows):
    model.zero_grad()
    if rows.numel():
        batch = table.take(rows)
        torch.nn.functional.cross_entropy(batch.scores(model), batch.y).backward()
    return [p.grad for p in model.parameters() if p.requires_grad]


with team() as workers:
    assert workers.size == SIZE
    torch.manual_seed(workers.rank)
    model = PandaGNN(3, 2, width=4, high_width=6, num_layers=2, dropout=0.0)
    workers.start_alike(model)
    model.unused = torch.nn.Parameter(torch.zeros(2))
    for rows in (torch.arange(11), torch.tensor([3, 8, 1]), torch.tensor([4])):
        expected = [None if g is None else g.clone() for g in gradients(model, rows)]
        own = workers.share(rows)
        gradients(model, own)
        workers.average_gradients(model, own.numel())
        found = [p.grad for p in model.parameters() if p.requires_grad]
        for a, b in zip(found, expected):
            assert (a is None) == (b is None)
            if a is not None:
                torch.testing.assert_close(a, b, rtol=0, atol=1e-12)
    assert workers.total(1.5 + workers.rank) == sum(1.5 + rank for rank in range(SIZE))

    with torch.no_grad():
        weight = model.layers[0].low.linear.weight
    model.dropout = 0.2
    rows = torch.arange(10)

    def estimate(together):
        torch.manual_seed(100 if together else 200 + workers.rank)
        sums = torch.zeros_like(weight)
        for _ in range(200):
            gradients(model, workers.share(rows) if together else rows)
            if together:
                workers.average_gradients(model, workers.share(rows).numel())
            sums += weight.grad
        return sums / 200

    alone = estimate(False)
    difference = (estimate(True) - alone).norm() / alone.norm()
    assert difference < 0.2, difference
print("equal", flush=True)
"""


RAY = """
def work():
{body}

import os
import ray
from ray.train import RunConfig, ScalingConfig
from ray.train.torch import TorchTrainer

{init}
TorchTrainer(
    work,
    scaling_config=ScalingConfig(num_workers={size}),
    run_config=RunConfig(storage_path=os.getcwd()),
).fit()
print("equal", flush=True)
"""

INIT = "ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)"

#: Kills the second process once, when two epochs are done.
KILLING = """
        def tell(epoch, score):
            if epoch == 2 and workers.rank == 1 and not (folder / "died").exists():
                (folder / "died").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            report({"epoch": epoch, "validation": score})
"""


def python(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=240,
        env=os.environ | {"PYTHONPATH": str(GUIDE.parents[1])},
    )


@pytest.mark.faults
@pytest.mark.parametrize("size", [2, 4])
def test_the_gradient_of_processes_of_ray_train_is_that_of_one(size: int, tmp_path: Path) -> None:
    body = GRADIENTS.replace("SIZE = 2", f"SIZE = {size}").partition("    with torch.no_grad()")[0]
    script = tmp_path / "gradients.py"
    script.write_text(RAY.format(body=textwrap.indent(body, "    "), size=size, init=INIT))
    done = python(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "equal" in done.stdout


@pytest.mark.faults
def test_a_killed_process_of_ray_train_goes_on_from_the_checkpoint(
    tmp_path: Path, shared_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of the guide, in double precision, with and without the death of a process."""
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    found = re.search(r"```python\n(# train_ray\.py\n.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert found is not None
    double = "def work(settings):\n    torch.set_default_dtype(torch.float64)"
    program = found[1].replace("def work(settings):", double, 1)
    losses = []
    for name, text in (
        ("whole", program),
        ("killed", program.replace("        curves = train(", f"{KILLING}        curves = train(")),
    ):
        folder = tmp_path / name
        folder.mkdir()
        text = text.replace('if __name__ == "__main__":', f'if __name__ == "__main__":\n    {INIT}')
        (folder / "train_ray.py").write_text(f"import os, ray, signal, torch\n{text}")
        done = python(folder / "train_ray.py", folder)
        assert done.returncode == 0, done.stderr
        losses.append((folder / "kept" / "losses.txt").read_text())
    assert (tmp_path / "killed" / "kept" / "died").exists()
    assert len(losses[0].splitlines()) == 6
    assert losses[0] == losses[1]


def torchrun(script: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
        str(script),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=240)


def test_the_gradient_of_two_processes_is_that_of_one(tmp_path: Path) -> None:
    script = tmp_path / "gradients.py"
    script.write_text(GRADIENTS)
    done = torchrun(script, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("equal") == 2


@pytest.mark.thorough
def test_the_program_of_the_guide_prints_the_same_with_one_process_and_two(
    tmp_path: Path,
    shared_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PANDA_DATA_ROOT", str(shared_root))
    program = re.search(r"```python\n(# train\.py\n.*?)```", GUIDE.read_text("utf-8"), re.DOTALL)
    assert program is not None
    script = tmp_path / "train.py"
    script.write_text(program[1])
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    runpy.run_path(str(script))
    together = torchrun(script, tmp_path)
    assert together.returncode == 0, together.stderr
    losses = [
        [float(line.split()[1]) for line in printed.splitlines()]
        for printed in (capsys.readouterr().out, together.stdout)
    ]
    assert len(losses[0]) == 3
    assert losses[0][0] == pytest.approx(losses[1][0], abs=1e-3)
    assert losses[0] == pytest.approx(losses[1], abs=0.02)
    assert losses[0][-1] < losses[0][0]


def test_one_process_needs_no_torchrun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    with team() as workers:
        assert workers == Workers(0, 1)
        rows = torch.arange(7)
        assert torch.equal(workers.share(rows), rows)
        model = nn.Linear(2, 1)
        model(torch.ones(3, 2)).mean().backward()
        assert model.weight.grad is not None
        before = model.weight.grad.clone()
        workers.start_alike(model)
        workers.average_gradients(model, 3)
        assert torch.equal(model.weight.grad, before)
        assert workers.total(2.5) == 2.5


class Reduced:
    """Two processes in one: the sums that ``all_reduce`` gives to the first of them."""

    def __init__(self, *others: Tensor) -> None:
        self.others = iter(others)

    def __call__(self, tensor: Tensor) -> None:
        tensor += next(self.others)


def test_gradients_are_means_over_the_rows_of_all_processes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three rows here and one there: 3/4 of this gradient and 1/4 of that one."""
    model = nn.ParameterList([torch.zeros(2), torch.zeros(1), torch.zeros(2, 1)])
    model[0].grad = torch.tensor([4.0, 8.0])
    there = [1.0, 1.0, 1.0, 0.0, 0.0, 4.0, 2.0, 0.0, 0.0]  # rows, gradients that exist, gradients
    monkeypatch.setattr("torch.distributed.all_reduce", Reduced(torch.tensor(there)))
    Workers(0, 2).average_gradients(model, 3)
    assert [None if p.grad is None else p.grad.tolist() for p in model] == [[3.0, 7.0], [0.5], None]


def test_a_total_is_the_sum_over_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    there = torch.tensor(0.1, dtype=torch.float64)
    monkeypatch.setattr("torch.distributed.all_reduce", Reduced(there))
    assert Workers(0, 2).total(0.2) == 0.1 + 0.2


def test_a_team_is_what_torchrun_started(monkeypatch: pytest.MonkeyPatch) -> None:
    torchrun = MagicMock()
    torchrun.is_initialized.return_value = False
    torchrun.get_rank.return_value, torchrun.get_world_size.return_value = 1, 3
    monkeypatch.setattr("panda_gnn.evaluation.distributed.distributed", torchrun)
    with team() as workers:
        assert workers == Workers(1, 3)
        torchrun.init_process_group.assert_called_once_with("gloo")
        torchrun.destroy_process_group.assert_not_called()
    torchrun.destroy_process_group.assert_called_once_with()


def test_a_group_that_is_there_already_is_taken_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    ray = MagicMock()
    ray.get_rank.return_value, ray.get_world_size.return_value = 1, 4
    monkeypatch.setattr("panda_gnn.evaluation.distributed.distributed", ray)
    with team() as workers:
        assert workers == Workers(1, 4)
    ray.init_process_group.assert_not_called()
    ray.destroy_process_group.assert_not_called()


def test_shares_are_disjoint_and_everything() -> None:
    rows = torch.randperm(11)
    shares = [Workers(rank, 3).share(rows) for rank in range(3)]
    assert sorted(torch.cat(shares).tolist()) == list(range(11))
    assert [len(share) for share in shares] == [4, 4, 3]
