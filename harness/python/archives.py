# Unpacks untrusted zip files. The text of a C++ header: see archives.hpp.
import errno
import os
import stat
import struct
import zipfile


class HostError(Exception):
    """An error of this machine, and not of the archive."""


# Other numbers may come from damaged archives, for example from offsets before a file's start.
OF_THE_HOST = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)


def unpack(archive, folder, most_files, most_file_bytes, most_bytes, kept):
    """Unpacks the regular files of a zip file into a new folder. Files whose names do not end as in `kept` become
    empty, as they are not read; files that are too long are cut one byte after the limit. Returns why the archive
    cannot be unpacked, or "", and sentences about files that were left out."""
    problem, left_out = unpack_all(archive, folder, most_files, most_file_bytes, most_bytes, kept)
    # Names in an archive may have halves of surrogate pairs.
    return problem.encode("utf-8", "replace"), [text.encode("utf-8", "replace") for text in left_out]


def unpack_all(archive, folder, most_files, most_file_bytes, most_bytes, kept):
    left_out = []
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [member for member in opened.infolist() if not member.is_dir()]
            if len(members) > most_files:
                return "has %d files, and no more than %d are unpacked" % (len(members), most_files), []
            for member in members:
                problem, written = unpack_member(opened, member, folder, most_file_bytes, kept)
                most_bytes -= written
                if problem:
                    left_out.append("`%s` %s" % (member.filename, problem))
                if most_bytes < 0:
                    return "has more data than a submission needs", []
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, RuntimeError, ValueError, ArithmeticError,
            LookupError, EOFError, OSError, struct.error) as error:
        if isinstance(error, OSError) and error.errno in OF_THE_HOST:
            raise HostError(str(error)) from error
        return "is no zip archive that can be read (%s)" % error, []
    return "", left_out


def unpack_member(opened, member, folder, most_file_bytes, kept):
    """Unpacks a file. Returns its problem, or "", and the bytes that it took."""
    parts = [part for part in member.filename.replace("\\", "/").split("/") if part not in ("", ".")]
    if member.filename.startswith(("/", "\\")) or ".." in parts or not parts:
        return "leads out of the archive", 0
    if parts[0] == "__MACOSX" or any(part.startswith(".") for part in parts):
        return "", 0
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a link", 0
    if member.flag_bits & 1:
        return "is encrypted", 0
    path = os.path.join(folder, *parts)
    if len(parts) > 16 or len(os.fsencode(path)) > 1000 or any(len(os.fsencode(part)) > 255 for part in parts):
        return "has too long a name", 0
    data = b""
    if member.filename.lower().endswith(kept):
        try:
            with opened.open(member) as file:
                data = file.read(most_file_bytes + 1)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as error:
            return "cannot be read (%s)" % error, 0
        except Exception as error:  # zlib.error, lzma.LZMAError and other errors of damaged files
            return "is damaged (%s)" % error, 0
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as target:
            target.write(data)
    except FileExistsError:
        return "is there twice", 0
    except NotADirectoryError:
        return "lies in a file", 0
    except OSError as error:
        raise HostError(str(error)) from error
    return "", len(data)
