#!/bin/sh
# Makes the fonts in this folder from Debian 12's packages fonts-noto-core, fonts-noto-mono, fonts-droid-fallback and fonts-nanum
# and from the npm package @fontsource/noto-emoji, with fontTools (Debian: python3-fonttools, python3-brotli). Hinting is left out:
# documents are not drawn on coarse screens, and it is half of the size. Run it in this folder: ./build.sh EMOJI.woff2
set -e
noto=/usr/share/fonts/truetype/noto
droid=/usr/share/fonts/truetype/droid
text='U+0000-08FF,U+1AB0-2BFF,U+2C60-2C7F,U+2DE0-2E7F,U+A640-AB6F,U+FB00-FB06,U+FE00-FE2F,U+FFFD'

subset() { # file, output, code points, features
  /usr/bin/python3 -m fontTools.subset "$1" --output-file="$2" --unicodes="$3" --layout-features="${4:-*}" --no-hinting --desubroutinize \
    --drop-tables+=DSIG,STAT,avar,fvar,gvar,HVAR,MVAR
}

# Without kerning and alternate letters, whose tables take longer to read than everything else of a certificate.
subset $noto/NotoSans-Regular.ttf NotoSans-Regular.ttf "$text" ccmp,mark,mkmk
subset $noto/NotoSans-Bold.ttf NotoSans-Bold.ttf "$text" ccmp,mark,mkmk
subset $noto/NotoSerif-Bold.ttf NotoSerif-Bold.ttf 'U+0020-007E,U+00A0-00FF,U+2010-2026'
subset $noto/NotoSansMono-Regular.ttf NotoSansMono-Regular.ttf 'U+0020-007E,U+2026'
for script in Arabic Armenian Bengali CanadianAboriginal Cherokee Devanagari Ethiopic Georgian Gujarati Gurmukhi Hebrew \
  Kannada Khmer Lao Malayalam Myanmar NKo Oriya Sinhala Symbols Tamil Telugu Thaana Thai Tifinagh; do
  subset "$noto/NotoSans$script-Regular.ttf" "NotoSans$script-Regular.ttf" '*'
done
subset $noto/NotoSerifTibetan-Regular.ttf NotoSerifTibetan-Regular.ttf '*'
subset $droid/DroidSansFallbackFull.ttf DroidSansFallbackFull.ttf '*'
subset "$1" NotoEmoji-Regular.ttf '*'
# Unchanged: its name is reserved for the original.
cp /usr/share/fonts/truetype/nanum/NanumSquareR.ttf .
