"""The kernel entered where Jupyter looks for kernels: `kleis kernel install`."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from registry.errors import RegistryError

__all__ = ["NAME", "install_kernel"]

NAME = "kleis"

_SPEC = {
    "argv": [sys.executable, "-m", "registry.notebook", "-f", "{connection_file}"],
    "display_name": "Kleis",
    "language": "kleis",
    "interrupt_mode": "signal",
    "metadata": {"debugger": False},
}


def install_kernel(*, user: bool, prefix: Path | None) -> Path:
    """Enter the kernel for this user, below a prefix, or for the system; the directory.

    It runs with the Python that runs this. Raises `RegistryError` where the extra is missing or the place cannot be written.
    """
    if find_spec("ipykernel") is None or find_spec("jupyter_client") is None:
        raise RegistryError(
            "invalid_argument", "the kernel needs the packages of the extra jupyter",
            found="no ipykernel", hint="pip install 'pif-kleis[jupyter]'",
        )  # fmt: skip
    from jupyter_client.kernelspec import KernelSpecManager

    with TemporaryDirectory(prefix="kleis-") as directory:
        (Path(directory) / "kernel.json").write_bytes(msgspec.json.format(msgspec.json.encode(_SPEC)))
        try:
            entered = KernelSpecManager().install_kernel_spec(
                directory, kernel_name=NAME, user=user, prefix=None if prefix is None else str(prefix)
            )
        except OSError as error:
            raise RegistryError(
                "invalid_argument", f"the kernel cannot be entered: {error.strerror}", place=str(error.filename),
                hint="--user enters it for you alone, --prefix DIR in an environment",
            ) from None  # fmt: skip
    return Path(entered)
