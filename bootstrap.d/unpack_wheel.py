"""unpack_wheel.py WHEEL FOLDER: unpacks a wheel, whose programs stay executable."""
import os
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as wheel:
    for one in wheel.infolist():
        path = wheel.extract(one, sys.argv[2])
        if one.external_attr >> 16 & 0o111 and not one.is_dir():
            os.chmod(path, os.stat(path).st_mode | 0o111)
