#pragma once

/// Marks what libkiln.so exports; everything else has hidden visibility.
#define KILN_API __attribute__((visibility("default")))
