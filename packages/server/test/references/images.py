# Writes images.json: small pictures in many formats with their codes by Python's ImageHash.
#   pip install ImageHash==4.3.2 pillow==13.0.0 pillow-heif==1.8.1 tifffile==2026.3.3 imagecodecs==2026.3.6
#   python images.py > images.json

import base64, io, json, struct, sys, zlib
import imagecodecs, imagehash, numpy, pillow_heif, tifffile
from PIL import Image

pillow_heif.register_heif_opener()
W, H, CELL = 37, 26, 7


def corner(cx, cy, channel, seed=21):
    n = cx * 131 + cy * 137 + channel * 139 + seed * 149
    return n * n * n % 65521 % 256


def value(x, y, channel):  # the formula in phash.json
    cx, cy, fx, fy = x // CELL, y // CELL, x % CELL, y % CELL
    above = corner(cx, cy, channel) * (CELL - fx) + corner(cx + 1, cy, channel) * fx
    below = corner(cx, cy + 1, channel) * (CELL - fx) + corner(cx + 1, cy + 1, channel) * fx
    return (above * (CELL - fy) + below * fy) // (CELL * CELL)


four = numpy.array([[[value(x, y, c) for c in range(4)] for x in range(W)] for y in range(H)], numpy.uint8)
wide = (four.astype(numpy.uint16) * 256 + 77).astype(numpy.uint16)
RGB, L = Image.fromarray(four[:, :, :3].copy()), Image.fromarray(four[:, :, 0].copy())
RGBA, CMYK = Image.frombytes('RGBA', (W, H), four.tobytes()), Image.frombytes('CMYK', (W, H), four.tobytes())
LA = Image.merge('LA', (L, RGBA.getchannel('A')))
P, P16, P2 = RGB.quantize(32), RGB.quantize(16), RGB.quantize(2)

files = []


def codes(image):
    def middle(share):
        left, top = (int(side * (1 - share) / 2 + 0.5) for side in image.size)
        return image.crop((left, top, image.width - left, image.height - top))

    return {
        'pHash': f'0x{imagehash.phash(image)}',
        'dHash': f'0x{imagehash.dhash(image)}',
        'pHashCenter90': f'0x{imagehash.phash(middle(0.9))}',
        'pHashCenter80': f'0x{imagehash.phash(middle(0.8))}',
    }


def add(name, content):
    image = Image.open(io.BytesIO(content))
    packed = base64.b64encode(zlib.compress(content, 9)).decode()
    files.append({'name': name, **codes(image), 'file': packed})


def save(name, image, format, **options):
    target = io.BytesIO()
    image.save(target, format, **options)
    add(name, target.getvalue())
    return target.getvalue()


def png16(color_type, channels):
    chunk = lambda kind, data: struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = b''.join(b'\0' + wide[y][:, channels].astype('>u2').tobytes() for y in range(H))
    header = chunk(b'IHDR', struct.pack('>IIBBBBB', W, H, 16, color_type, 0, 0, 0))
    return b'\x89PNG\r\n\x1a\n' + header + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


save('PNG with alpha', RGBA, 'PNG')
save('PNG, gray with alpha', LA, 'PNG')
save('PNG, palette with a transparent color', P, 'PNG', transparency=5)
save('PNG, palette with alpha', P, 'PNG', transparency=bytes(range(0, 256, 8)))
save('PNG with a transparent color', RGB, 'PNG', transparency=tuple(int(v) for v in four[9, 9, :3]))
save('PNG, gray with a transparent color', L, 'PNG', transparency=int(four[9, 9, 0]))
add('PNG of 16 bits with alpha', png16(6, [0, 1, 2, 3]))
add('PNG of 16 bits, gray with alpha', png16(4, [0, 3]))
save('WebP with alpha', RGBA, 'WEBP', lossless=True, exact=True)
save('WebP, lossy with alpha', RGBA, 'WEBP', quality=80)
save('AVIF with alpha', RGBA, 'AVIF', quality=80)
save('TIFF with alpha', RGBA, 'TIFF')
save('TIFF, gray with alpha', LA, 'TIFF')
premultiplied = (four[:, :, :3].astype(int) * four[:, :, 3:] // 255).astype(numpy.uint8)
for name, array, photometric, more in [
    ('TIFF with premultiplied alpha', numpy.dstack([premultiplied, four[:, :, 3]]), 'rgb', ['assocalpha']),
    ('TIFF of 16 bits with alpha', wide, 'rgb', ['unassalpha']),
    ('TIFF of 16 bits, CMYK', wide, 'separated', None),
]:
    target = io.BytesIO()
    tifffile.imwrite(target, array, photometric=photometric, extrasamples=more)
    add(name, target.getvalue())
save('TIFF, CMYK', CMYK, 'TIFF')
save('TIFF, CMYK as JPEG', CMYK, 'TIFF', compression='jpeg')
adobe = save('JPEG, CMYK, inverted as Adobe does', CMYK, 'JPEG', quality=90)
marker = adobe.index(b'Adobe') - 4
add('JPEG, CMYK, without the mark of Adobe', adobe[:marker] + adobe[marker + 16 :])
add('JPEG, YCCK', imagecodecs.jpeg8_encode(255 - four, level=90, colorspace='CMYK', outcolorspace='YCCK'))
gif = save('GIF with a transparent color', P, 'GIF', transparency=7)
# In a larger canvas, then with a palette of the frame.
at = gif.index(b'\x2c\0\0\0\0' + struct.pack('<HH', W, H))
gif = gif[:6] + struct.pack('<HH', W + 20, H + 9) + gif[10 : at + 1] + struct.pack('<HH', 8, 5) + gif[at + 5 :]
add('GIF with a transparent color, of which a frame is a part', gif)
size, flags = 3 * 2 ** ((gif[10] & 7) + 1), gif[10]
local = gif[13 + size : at + 9] + bytes([0x80 | flags & 7]) + gif[13 : 13 + size] + gif[at + 10 :]
add('GIF with a transparent color in the palette of a frame', gif[:10] + bytes([flags & 0x7F]) + gif[11:13] + local)


def bmp(name, bits, rows, compression=0, palette=b'', masks=b'', header=40, height=H, colors=0, offset=None):
    data = rows if isinstance(rows, bytes) else b''.join(row + b'\0' * (-len(row) % 4) for row in rows)
    if header == 12:
        info = struct.pack('<IHHHH', 12, W, H, 1, bits)
    else:
        info = struct.pack('<IiiHHIIiiII', header, W, height, 1, bits, compression, len(data), 0, 0, colors, 0)
        info = (info + masks).ljust(header, b'\0')
    start = 14 + len(info + palette)
    add(name, b'BM' + struct.pack('<IHHI', start + len(data), 0, 0, offset or start) + info + palette + data)


def palette_of(image, count, padding=b'\0'):
    colors = image.getpalette()[: 3 * count]
    return b''.join(bytes(colors[i : i + 3][::-1]) + padding for i in range(0, 3 * count, 3))


def nibbles(row):
    row = [int(v) for v in row] + [0] * (len(row) % 2)
    return bytes(row[i] << 4 | row[i + 1] for i in range(0, len(row), 2))


def runs(row, pack):  # a move, then alternately pixels as they are and runs
    out, at, row = bytes([0, 2, 4, 0]), 4, [int(v) for v in row]
    while at < len(row):
        count = min(len(row) - at, 7)
        if count > 2:
            data = pack(row[at : at + count])
            out, at = out + bytes([0, count]) + data + b'\0' * (len(data) % 2), at + count
        count = min(len(row) - at, 5)
        out, at = out + (bytes([count]) + pack(row[at : at + 1] * 2)[:1] if count else b''), at + count
    return out + b'\0\0'


up = range(H - 1, -1, -1)
indices, indices16, indices2 = numpy.array(P), numpy.array(P16), numpy.array(P2)
red, green, blue = (four[:, :, i].astype(numpy.uint16) for i in range(3))
rows555 = (red >> 3 << 10 | green >> 3 << 5 | blue >> 3).astype('<u2')
rows565 = (red >> 3 << 11 | green >> 2 << 5 | blue >> 3).astype('<u2')
bgr = four[:, :, 2::-1]
bmp('BMP of 1 bit', 1, [numpy.packbits(indices2[y]).tobytes() for y in up], palette=palette_of(P2, 2))
bmp('BMP of 4 bits', 4, [nibbles(indices16[y]) for y in up], palette=palette_of(P16, 16))
bmp('BMP of 4 bits, wrong offset', 4, [nibbles(indices16[y]) for y in up], palette=palette_of(P16, 16), offset=54)
bmp('BMP of 4 bits, OS/2', 4, [nibbles(indices16[y]) for y in up], palette=palette_of(P16, 16, b''), header=12)
bmp('BMP of 4 bits, run lengths', 4, b''.join(runs(indices16[y], nibbles) for y in up), 2, palette_of(P16, 16))
bmp('BMP of 8 bits', 8, [indices[y].tobytes() for y in up], palette=palette_of(P, 32), colors=32)
bmp('BMP of 8 bits, run lengths', 8, b''.join(runs(indices[y], bytes) for y in up), 1, palette_of(P, 32), colors=32)
bmp('BMP of 16 bits', 16, [rows555[y].tobytes() for y in up])
masks = struct.pack('<III', 0xF800, 0x7E0, 0x1F)
bmp('BMP of 16 bits, masks', 16, [rows565[y].tobytes() for y in up], 3, palette=masks)
bmp('BMP of 24 bits', 24, [bgr[y].tobytes() for y in up])
bmp('BMP of 24 bits, top-down', 24, [bgr[y].tobytes() for y in range(H)], height=-H)
bmp('BMP of 32 bits', 32, [four[y].tobytes() for y in up])
masks = struct.pack('<IIII', 0xFF, 0xFF00, 0xFF0000, 0xFF000000)
bmp('BMP of 32 bits, masks with alpha', 32, [four[y].tobytes() for y in up], 3, masks=masks, header=124)

save('HEIC', RGB, 'HEIF', quality=60)
save('HEIC with alpha', RGBA, 'HEIF', quality=60)
save('HEIC, gray', L, 'HEIF', quality=60)
target = io.BytesIO()
pillow_heif.from_bytes('RGB;16', (W, H), wide[:, :, :3].tobytes()).save(target, quality=60)
add('HEIC of 10 bits', target.getvalue())
for orientation in range(2, 9):
    exif = Image.Exif()
    exif[274] = orientation
    # With odd sizes, versions of libheif differ in the colors at the edges.
    save(f'HEIC, orientation {orientation}', RGB.crop((0, 0, 36, 26)), 'HEIF', quality=60, exif=exif.tobytes())

about = [
    'Small pictures, as base64 of their deflated bytes, with their hashes by Python:',
    'ImageHash 4.3.2 `phash()` and `dhash()` on Pillow 13.0.0 and pillow-heif 1.8.1. Made by images.py, which says how.',
]
json.dump({'about': about, 'images': files}, sys.stdout, indent=2)
print()
