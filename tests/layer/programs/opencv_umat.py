"""OpenCV's operations on cv2.UMat by OpenCL: a digest of each one's result on standard output."""
import hashlib
import sys

import cv2
import numpy as np


def say(name, result):
    array = np.ascontiguousarray(result.get() if isinstance(result, cv2.UMat) else result)
    text = f"{array.dtype} {array.shape} ".encode() + array.tobytes()
    print(name, hashlib.sha256(text).hexdigest()[:32], flush=True)


def main():
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        sys.exit("OpenCV uses no OpenCL device")
    cv2.setNumThreads(1)
    host = np.random.default_rng(11)
    picture = cv2.UMat(host.integers(0, 256, (240, 320, 3), dtype=np.uint8))
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    say("cvtColor", grey)
    say("blur", cv2.blur(picture, (5, 5)))
    say("GaussianBlur", cv2.GaussianBlur(grey, (7, 7), 1.5))
    say("resize", cv2.resize(picture, (200, 150), interpolation=cv2.INTER_LINEAR))
    say("threshold", cv2.threshold(grey, 100, 255, cv2.THRESH_BINARY)[1])
    rotation = cv2.getRotationMatrix2D((160, 120), 30, 0.8)
    say("warpAffine", cv2.warpAffine(picture, rotation, (320, 240)))
    say("dilate", cv2.dilate(grey, np.ones((3, 3), np.uint8)))
    say("Sobel", cv2.Sobel(grey, cv2.CV_16S, 1, 0))
    # Canny is left out: its edges are joined by work-groups that race (3 of 100 calls differ).
    part = cv2.UMat(grey.get()[40:56, 60:76].copy())
    # The sums are in floating point: the place of the best match, not its value.
    found = cv2.matchTemplate(grey, part, cv2.TM_CCORR_NORMED)
    say("matchTemplate", np.array(cv2.minMaxLoc(found)[3]))
    a, b = (cv2.UMat(host.standard_normal((64, 64), dtype=np.float32)) for _ in range(2))
    say("gemm", cv2.gemm(a, b, 0.5, a, 2.0))
    say("add", cv2.addWeighted(picture, 0.7, cv2.flip(picture, 1), 0.3, 0))
    say("equalizeHist", cv2.equalizeHist(grey))
    say("integral", cv2.integral(grey))


main()
