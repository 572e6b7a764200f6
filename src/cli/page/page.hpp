#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

/// Pages for a browser, each one file that needs nothing else. The build makes them of this
/// folder's HTML, style sheets and scripts (embed_pages.cmake); commands put data in, which the
/// page's script draws.
namespace kiln::cli {

/// The pages, with places for data. Their scripts say what the data are made of.
extern const std::string_view timeline_html, report_html;

/// A page with its data, and with a sentence for readers whose browser runs no script. Neither can
/// become markup; bytes that are not UTF-8 are replaced.
std::string filled_page(std::string_view html, std::string_view summary,
                        const nlohmann::ordered_json& data);

}  // namespace kiln::cli
