"""Makes PNG files small: an 8-bit palette, which loses nothing that is seen of flat colours and text. Needs PyPI's `pillow`."""

import pathlib
import sys

from PIL import Image

MOST = 150_000

for name in sys.argv[1:]:
    path = pathlib.Path(name)
    picture = Image.open(path).convert("RGB")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size <= MOST:
            break
    else:
        sys.exit(f"{path}: {path.stat().st_size} bytes are too many: make it smaller")
    print(f"{path}: {picture.width} × {picture.height}, {path.stat().st_size // 1000} kB, {colours} colours")
