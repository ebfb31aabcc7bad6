from __future__ import annotations

import dataclasses
import functools
import hashlib
import http.server
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from panda_gnn.datasets import DATASETS, DatasetEntry, load
from panda_gnn.errors import InputError
from tests.datasets.conftest import TINY_FILES, make_mirror


class SilentHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def served(tiny: DatasetEntry, tmp_path: Path) -> Iterator[DatasetEntry]:
    """The tiny dataset on a web server whose files lie in ``tmp_path / "web"``."""
    web = make_mirror(tmp_path / "web")
    handler = functools.partial(SilentHandler, directory=str(web))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        url = f"http://127.0.0.1:{server.server_port}/{tiny.archive}"
        entry = dataclasses.replace(tiny, url=url)
        with DATASETS.replaced({"tiny": entry}):
            yield entry
        server.shutdown()
        thread.join()


def test_from_the_network(served: DatasetEntry, tmp_path: Path) -> None:
    assert len(load("tiny", root=tmp_path / "root")) == 2
    assert {path.name for path in (tmp_path / "root").iterdir()} == {"TINY", ".TINY.lock"}


def test_a_mirror_without_the_dataset_leads_on_to_the_network(
    served: DatasetEntry, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    assert len(load("tiny", root=tmp_path / "root", mirror=tmp_path / "empty")) == 2


def test_a_file_missing_on_the_network_is_one_sentence(
    served: DatasetEntry, tmp_path: Path
) -> None:
    (tmp_path / "web" / served.archive).unlink()
    with pytest.raises(InputError, match=r"404.*set PANDA_DATA_MIRROR to a folder that holds"):
        load("tiny", root=tmp_path / "root")


def test_a_download_cut_short_is_damaged(served: DatasetEntry, tmp_path: Path) -> None:
    archive = tmp_path / "web" / served.archive
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(InputError, match=rf"the archive {served.url} is damaged"):
        load("tiny", root=tmp_path / "root")


def test_no_network_no_mirror_is_one_sentence(tiny: DatasetEntry, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load("tiny", root=tmp_path)
    message = str(caught.value)
    assert "TINY is not on this machine" in message
    assert "set PANDA_DATA_MIRROR to a folder that holds tudataset/TINY.zip" in message
    assert "\n" not in message
    assert [path.name for path in tmp_path.iterdir()] == [".TINY.lock"]


def test_a_mirror_that_is_no_folder_is_named(tiny: DatasetEntry, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the mirror '.*nowhere' is not a folder"):
        load("tiny", root=tmp_path / "root", mirror=tmp_path / "nowhere")


@pytest.mark.parametrize("keep", [0.0, 0.1, 0.5, 0.9, 0.99])
def test_a_truncated_archive_leaves_nothing_behind(
    tiny: DatasetEntry, tmp_path: Path, keep: float
) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    archive = mirror / tiny.archive
    whole = archive.read_bytes()
    archive.write_bytes(whole[: int(keep * len(whole))])
    with pytest.raises(InputError, match=r"the archive .*TINY\.zip is damaged"):
        load("tiny", root=tmp_path / "root", mirror=mirror)
    assert [path.name for path in (tmp_path / "root").iterdir()] == [".TINY.lock"]
    archive.write_bytes(whole)
    assert len(load("tiny", root=tmp_path / "root", mirror=mirror)) == 2


def test_any_flipped_byte_of_the_content_is_noticed(tiny: DatasetEntry, tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    archive = mirror / tiny.archive
    with zipfile.ZipFile(archive, "w") as file:
        for part, text in TINY_FILES.items():
            file.writestr(f"TINY/TINY_{part}.txt", text)
    whole = archive.read_bytes()
    for part, text in TINY_FILES.items():
        start = whole.index(text.encode())
        for offset in range(start, start + len(text)):
            archive.write_bytes(whole[:offset] + b"7" + whole[offset + 1 :])
            with pytest.raises(InputError, match=f"damaged .*{part}"):
                load("tiny", root=tmp_path / "root", mirror=mirror)
    archive.write_bytes(whole)
    assert len(load("tiny", root=tmp_path / "root", mirror=mirror)) == 2


@pytest.mark.parametrize(
    "member", ["../escaped.txt", "TINY/../../escaped.txt", "{folder}/escaped.txt"]
)
def test_an_archive_that_reaches_out_of_its_folder_is_refused(
    tiny: DatasetEntry, tmp_path: Path, member: str
) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    with zipfile.ZipFile(mirror / tiny.archive, "a") as file:
        file.writestr(member.format(folder=tmp_path), "out")
    with pytest.raises(InputError, match=r"refused: its member '.*escaped\.txt' would be written"):
        load("tiny", root=tmp_path / "root", mirror=mirror)
    assert not list(tmp_path.rglob("escaped.txt"))
    assert [path.name for path in (tmp_path / "root").iterdir()] == [".TINY.lock"]


def test_an_archive_of_something_else_is_refused(tiny: DatasetEntry, tmp_path: Path) -> None:
    archive = tmp_path / "mirror" / tiny.archive
    archive.parent.mkdir(parents=True)
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("MUTAG/MUTAG_A.txt", "1, 2\n")
    with pytest.raises(InputError, match="does not hold a folder TINY/"):
        load("tiny", root=tmp_path / "root", mirror=tmp_path / "mirror")
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("TINY/TINY_A.txt", "1, 2\n")
    with pytest.raises(InputError, match="does not hold the raw files of TINY"):
        load("tiny", root=tmp_path / "root", mirror=tmp_path / "mirror")


def test_the_checksums_of_a_mirror_are_enforced(tiny: DatasetEntry, tmp_path: Path) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    archive = mirror / tiny.archive
    listing = mirror / "SHA256SUMS"
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    listing.write_text(f"{digest}  {tiny.archive}\n")
    assert len(load("tiny", root=tmp_path / "a", mirror=mirror)) == 2
    listing.write_text(f"{'0' * 64}  {tiny.archive}\n")
    with pytest.raises(InputError, match=r"is refused: its SHA-256 is .* says 000000000000"):
        load("tiny", root=tmp_path / "b", mirror=mirror)
    listing.write_text(f"{digest}  other.zip\n")
    with pytest.raises(InputError, match=r"is refused: .*SHA256SUMS does not list it"):
        load("tiny", root=tmp_path / "b", mirror=mirror)
    assert not (tmp_path / "b" / "TINY").exists()


def test_an_archive_that_would_fill_the_disk_is_refused_before_it_is_unpacked(
    tiny: DatasetEntry, tmp_path: Path
) -> None:
    mirror = make_mirror(tmp_path / "mirror")
    with zipfile.ZipFile(mirror / tiny.archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("TINY/TINY_A.txt", bytes(60 * 2**20))
    with pytest.raises(InputError, match=r"refused: .* would become 62,914,560 in 1 files"):
        load("tiny", root=tmp_path / "root", mirror=mirror)
    with zipfile.ZipFile(mirror / tiny.archive, "w") as file:
        for number in range(1001):
            file.writestr(f"TINY/{number}.txt", "")
    with pytest.raises(InputError, match=r"in 1,001 files, more than .* 1,000 files"):
        load("tiny", root=tmp_path / "root", mirror=mirror)
