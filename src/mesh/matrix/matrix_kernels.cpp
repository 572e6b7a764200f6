// Kernels on matrices at work: which program, its arguments, halos of vectors, what was done.
#include "mesh/matrix/matrix_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "kernel/resolver/entry.hpp"
#include "mesh/codegen/helper_text.hpp"
#include "mesh/model/basics.hpp"

namespace kiln::mesh {

namespace {

constexpr const char* boundary_kernel = "kiln_zero_rows_columns";

/// The program with the kernel for boundary conditions that keep a matrix symmetric:
///
///     kiln_zero_rows_columns(values, rowptr, colidx, list, count, has_rows, owned, diagonal,
///                            x, x_stride, y, y_stride, rows)
///         columns of the list: entries := 0, and owned rows of y lose what they gave with x;
///         where `has_rows`, the rows of the list, too: entries := 0, their diagonal := diagonal,
///         y := diagonal x
///
/// `list`: `count` block rows, rising. A work-item takes whole rows, so that each row of y has one
/// writer, and is subtracted from in one order. With `in_blocks` a work-item takes `block` rows, an
/// int after `rows`.
Request boundary_request(const MatrixShape& shape, bool in_blocks) {
  Request request;
  request.family = "source";
  request.source = value_or_throw(
      from_text(matrix_prelude(shape, in_blocks) + std::string(template_text("matrix_boundary")),
                "mesh matrix boundary"));
  request.options = value_or_throw(build_options({}, {"-cl-std=CL1.2"}));
  request.label = "mesh matrix boundary";
  return request;
}

/// Numbers that a work-item of kiln_zero has on a CPU.
constexpr std::size_t zero_block = 65536;

/// Of a dimension: Mesh::sparsity() takes no more than int holds.
int int_of(std::size_t dim) {
  if (!std::in_range<int>(dim))
    throw Error(Errc::internal, fmt::format("found blocks of {} rows or columns", dim));
  return static_cast<int>(dim);
}

/// Columns of owned rows that others own, rising.
std::vector<std::int32_t> halo_columns_of(const SparsityState& sparsity) {
  const auto owned = static_cast<std::int32_t>(sparsity.column_set.size());
  const auto starts = SparsityState::view(sparsity.rowptr());
  std::vector<std::int32_t> found;
  for (const std::int32_t column :
       SparsityState::view(sparsity.colidx())
           .first(static_cast<std::size_t>(starts[sparsity.row_set.size()])))
    if (column >= owned) found.push_back(column);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

double row_length(const SparsityState& sparsity) {
  const std::size_t rows = std::max<std::size_t>(sparsity.row_set.total_size(), 1);
  return static_cast<double>(sparsity.colidx().form().elements) / static_cast<double>(rows);
}

}  // namespace

MatrixKernels::MatrixKernels(MatrixSession& session, const RecordedMatrix& of,
                             const ChosenParameters& chosen)
    : session_(session),
      of_(of),
      request_(request_for(session, of)),
      chosen_(chosen),
      in_blocks_(chosen.parameters.get("FORM", 0) == 0) {}

Request MatrixKernels::request_for(const MatrixSession& session, const RecordedMatrix& of) {
  return make_matrix_request(of.shape, session.loop_device().cpu, of.row_length, of.rows);
}

RecordedMatrix MatrixKernels::describe(const MatState& mat, bool x_soa, bool y_soa) {
  const auto& sparsity = *Handles::state(mat.sparsity);
  const MatrixShape shape{mat.values.form().type, int_of(sparsity.row_dim),
                          int_of(sparsity.column_dim), x_soa, y_soa};
  return {shape, "", row_length(sparsity), static_cast<std::int64_t>(sparsity.row_set.size())};
}

MatrixKernels& MatrixKernels::of(MatState& mat, bool x_soa, bool y_soa) {
  // Better Parameters may have gone on record: those that were in use are one look-up away.
  MatrixSession& session = MatrixSession::of(*mat.session);
  session.throw_pending();
  if (std::exchange(mat.tunings, session.matrix_tunings) != session.matrix_tunings)
    mat.kernels = {};
  auto& known = mat.kernels[(x_soa ? 2u : 0u) + (y_soa ? 1u : 0u)];
  if (known != nullptr) return *known;
  known = &find(session, describe(mat, x_soa, y_soa));
  return *known;
}

MatrixKernels& MatrixKernels::find(MatrixSession& session, const RecordedMatrix& of) {
  const auto chosen = session.resolver().choose(request_for(session, of), *session.device());
  for (const auto& known : session.matrix_kernels)
    if (known->of_.shape == of.shape && known->parameters() == chosen.parameters) return *known;
  return *session.matrix_kernels.emplace_back(std::make_unique<MatrixKernels>(session, of, chosen));
}

MatrixKernels::Prepared& MatrixKernels::prepare(const std::string& kernel, LoopReport& report) {
  const auto known = launches_.find(kernel);
  if (known != launches_.end()) return known->second;
  const auto start = now_ns();
  const bool is_generated = kernel != boundary_kernel;
  const std::vector<KernelVariant> wanted{variant_of(kernel, matrix_range(parameters(), 1))};
  Program& program =
      is_generated ? session_.program(request_, chosen_, wanted, report)
                   : session_.program(boundary_request(of_.shape, in_blocks_), {}, wanted, report);
  Prepared& prepared =
      launches_.try_emplace(kernel, Prepared{{session_.context(), program, kernel}}).first->second;
  if (CallLog* const log = kiln_process_call_log();
      log != nullptr && is_generated && !chosen_.is_trial) {
    RecordedMatrix of = of_;
    of.kernel = kernel;
    prepared.counter = log->counter(recorded_call(of, *session_.device()));
    if (prepared.counter != nullptr) prepared.counter->add_prepare(now_ns() - start);
  }
  return prepared;
}

/// Sets a kernel's arguments in their order, brings what it needs to the device, enqueues it.
class MatrixKernels::Call {
 public:
  Call(MatrixKernels& kernels, MatState& mat, MatrixWork& work, const char* kernel)
      : kernels_(kernels),
        session_(kernels.session_),
        mat_(mat),
        sparsity_(*Handles::state(mat.sparsity)),
        work_(work),
        prepared_(kernels.prepare(kernel, work.report)),
        launch_(prepared_.launch) {}
  Call(MatrixKernels& kernels, MatState& mat, MatrixOperation operation, const char* kernel)
      : Call(kernels, mat, MatrixWork::of(mat, operation), kernel) {}

  Call& matrix(Access access) {
    values(access);
    add(sparsity_.rowptr());
    add(sparsity_.colidx());
    return *this;
  }
  Call& values(Access access) {
    wait_for(&mat_, access);
    add(mat_.values);
    if (access != Access::read) note_written(mat_.values);
    return *this;
  }
  Call& vector(DatState& dat, Access access) {
    wait_for(&dat, access);
    add(dat.data);
    scalar(static_cast<cl_long>(dat.data.form().elements));
    if (access == Access::read) return *this;
    note_written(dat.data);
    written_dat_ = &dat;
    return *this;
  }
  Call& memory(Residence& data) {
    add(data);
    return *this;
  }
  template <class T>
  Call& scalar(T value) {
    launch_.set_scalar(position_++, value);
    return *this;
  }
  Call& scalar(ByteView value) {
    launch_.set_scalar(position_++, value);
    return *this;
  }
  /// Over rows from the first one on.
  void over_rows(std::size_t rows, std::size_t bytes) {
    enqueue_rows(0, rows, 1, LaunchTimes::Part::only);
    done(bytes);
  }
  /// Over the owned rows, whose columns are elements of x; so many work-items for each where they
  /// are not taken in blocks. What is exchanged travels while the rows that need none of it are
  /// computed.
  void over_owned_rows(DatState& x, std::size_t lanes, std::size_t bytes) {
    const std::size_t rows = sparsity_.row_set.size();
    const unsigned place = position_;
    const auto enqueue = [&](std::size_t first, std::size_t end, const char* half) {
      position_ = place;
      half_ = half;
      scalar(static_cast<cl_int>(first));
      enqueue_rows(first, end, lanes, LaunchTimes::Part::only);
    };
    Exchange* const exchange = exchange_for(x);
    const GiveUpOnFailure on_failure(exchange);
    const HaloTraffic before = exchange == nullptr ? HaloTraffic{} : exchange->total();
    const Queue& queue = session_.queue;
    const std::size_t interior = x.is_halo_stale ? sparsity_.interior_rows() : rows;
    const auto where = interior > 0 ? Exchange::Where::next_to_loops : Exchange::Where::with_loops;
    if (exchange == nullptr ? !x.needs_exchange() : !exchange->begin(queue, where)) {
      enqueue(0, rows, "");
      return done(bytes);
    }
    if (exchange == nullptr) x.begin_exchange(queue);
    if (interior > 0) {
      enqueue(0, interior, " (core)");
      check_cl(::clFlush(queue.cl()()), "clFlush");
    }
    if (exchange == nullptr) {
      x.end_exchange(queue);
    } else {
      exchange->send(queue);
      exchange->finish(queue);
      note_traffic(before, exchange->total());
    }
    if (interior < rows) enqueue(interior, rows, " (rest)");
    done(bytes);
  }
  void over_numbers(std::size_t count, std::size_t bytes) {
    scalar(static_cast<cl_long>(count));
    run(kernels_.in_blocks_ ? (count + zero_block - 1) / zero_block : groups_for(count),
        LaunchTimes::Part::only);
    done(bytes);
  }

 private:
  /// What brings the columns of owned rows that others own; null where none are to be brought by a
  /// Transport. Of a trial all is there.
  Exchange* exchange_for(DatState& x) {
    if (!x.is_in_parts() || kernels_.chosen_.is_trial) return nullptr;
    Parts& parts = session_.parts();
    if (sparsity_.halo_columns == nullptr) sparsity_.halo_columns = columns_of(parts);
    if (session_.options.check) poison(x);
    return &parts.exchange_of(x, sparsity_.halo_columns);
  }
  /// All parts wait for each other, unless they know it of an equal Sparsity: one that went on one
  /// part may still be there on others.
  HaloClassPtr columns_of(Parts& parts) const {
    HaloNeed need;
    need.set = Handles::state(sparsity_.column_set).get();
    need.recipe = {0};
    for (const MapPairName& pair : sparsity_.pairs)
      need.recipe.insert(need.recipe.end(), {pair.rows, pair.rows_version, pair.columns,
                                             pair.columns_version, pair.layers});
    need.elements = [&] { return halo_columns_of(sparsity_); };
    if (auto known = parts.classes.find(need)) return known;
    return parts.classes
        .get("product with " + mat_.name,
             fmt::format("{} x {}", sparsity_.row_set.name(), sparsity_.column_set.name()),
             {&need, 1})
        .front();
  }
  void note_traffic(const HaloTraffic& before, const HaloTraffic& after) {
    HaloTraffic& halo = work_.report.halo;
    ++halo.exchanges;
    halo.messages += after.messages - before.messages;
    halo.bytes += after.bytes - before.bytes;
    halo.wait_seconds += after.wait_seconds - before.wait_seconds;
    halo.seconds += after.seconds - before.seconds;
  }
  void note_written(Residence& data) { written_[written_[0] == nullptr ? 0 : 1] = &data; }
  void wait_for(const void* state, Access access) {
    session_.run_for(state, access == Access::read ? Session::For::reading : Session::For::writing);
  }
  void add(Residence& data) { launch_.set_memory(position_++, data.on_device(session_.queue)); }
  std::size_t groups_for(std::size_t items) const {
    const std::size_t group = matrix_range(kernels_.parameters(), 1).local[0];
    return std::min((items + group - 1) / group,
                    std::size_t{session_.device()->compute_units} * 64);
  }
  void enqueue_rows(std::size_t first, std::size_t end, std::size_t lanes, LaunchTimes::Part part) {
    scalar(static_cast<cl_int>(end));
    const std::size_t rows = end - first;
    const auto block = static_cast<std::size_t>(kernels_.parameters().get(
        "BLOCK", matrix_block(static_cast<std::int64_t>(rows), session_.device()->compute_units)));
    if (kernels_.in_blocks_) scalar(static_cast<cl_int>(block));
    run(kernels_.in_blocks_ ? (rows + block - 1) / block : groups_for(rows * lanes), part);
  }
  void run(std::size_t groups, LaunchTimes::Part part) {
    if (groups == 0) return;
    const NDRange range = matrix_range(kernels_.parameters(), groups);
    if (!(launch_.range() == range)) launch_.set_range(range);
    session_.launched();
    if (session_.options.timing || work_.is_timed)
      work_.times.enqueue(launch_, session_.queue, part, half_);
    else
      launch_.enqueue(session_.queue.cl()());
    for (Residence* data : written_)
      if (data != nullptr) data->device_writes();
    note_halo();
  }
  /// Of a trial nothing is to be left: its results are put back.
  void note_halo() {
    if (written_dat_ != nullptr && !kernels_.chosen_.is_trial) written_dat_->halo_changed();
  }
  void done(std::size_t bytes) {
    note_halo();  // others may have rows where this part has none
    if (prepared_.counter != nullptr) prepared_.counter->add_call(now_ns() - start_);
    LoopReport& report = work_.report;
    ++report.count;
    report.bytes += bytes;
    if (std::exchange(work_.kernels, &kernels_) == &kernels_) return;
    report.form = "rows";
    if (const auto lanes = kernels_.parameters().get("LANES", 1); lanes > 1)
      report.form = fmt::format("rows by {} lanes", lanes);
  }

  MatrixKernels& kernels_;
  MatrixSession& session_;
  MatState& mat_;
  SparsityState& sparsity_;
  MatrixWork& work_;
  Prepared& prepared_;
  Launch& launch_;
  const std::int64_t start_ = prepared_.counter != nullptr ? now_ns() : 0;
  unsigned position_ = 0;
  const char* half_ = "";  ///< as LaunchTimes::enqueue() has it
  std::array<Residence*, 2> written_{};
  DatState* written_dat_ = nullptr;
};

void MatrixKernels::multiply(MatState& mat, DatState& x, DatState& y, Product product,
                             MatrixWork* trial) {
  const bool adds = product == Product::adds;
  Call(*this, mat, trial != nullptr ? *trial : MatrixWork::of(mat, MatrixOperation::multiply),
       "kiln_multiply")
      .matrix(Access::read)
      .vector(x, Access::read)
      .vector(y, adds ? Access::rw : Access::write)
      .scalar(cl_int{adds})
      .over_owned_rows(x,
                       static_cast<std::size_t>(of_.shape.row_dim) *
                           static_cast<std::size_t>(parameters().get("LANES", 1)),
                       multiply_bytes(mat, adds));
}

void MatrixKernels::diagonal(MatState& mat, DatState& to) {
  Call(*this, mat, MatrixOperation::diagonal, "kiln_diagonal")
      .matrix(Access::read)
      .vector(to, Access::write)
      .over_rows(Handles::state(mat.sparsity)->row_set.size(), diagonal_bytes(mat));
}

void MatrixKernels::set_diagonal(MatState& mat, DatState& from) {
  Call(*this, mat, MatrixOperation::set_diagonal, "kiln_set_diagonal")
      .matrix(Access::rw)
      .vector(from, Access::read)
      .over_rows(Handles::state(mat.sparsity)->row_set.size(), diagonal_bytes(mat));
}

void MatrixKernels::change_rows(MatState& mat, SubsetState* rows, const RowChange& change) {
  auto& sparsity = *Handles::state(mat.sparsity);
  const auto value = scalar_bytes(of_.shape.type, change.value);
  Call(*this, mat, MatrixOperation::change_rows, "kiln_rows")
      .matrix(Access::rw)
      .memory(rows == nullptr ? sparsity.rowptr() : rows->device)
      .scalar(cl_int{rows == nullptr})
      .scalar(cl_int{change.clear})
      .scalar(cl_int{change.set})
      .scalar(ByteView{value.data(), size_of(of_.shape.type)})
      .over_rows(rows == nullptr ? sparsity.row_set.total_size() : rows->indices.size(),
                 rows_bytes(mat, rows, change.clear, change.set));
}

void MatrixKernels::zero_rows_columns(MatState& mat, SubsetState& rows, DatState& x, DatState& b,
                                      const Columns& columns) {
  auto& sparsity = *Handles::state(mat.sparsity);
  session_.run_for(&x, Session::For::reading);
  x.refresh_halo(session_.queue);
  const auto value = scalar_bytes(of_.shape.type, columns.diagonal);
  Call(*this, mat, MatrixOperation::zero_rows_columns, boundary_kernel)
      .matrix(Access::rw)
      .memory(rows.device)
      .scalar(static_cast<cl_int>(rows.indices.size()))
      .scalar(cl_int{columns.of == Columns::Of::the_rows})
      .scalar(static_cast<cl_int>(sparsity.row_set.size()))
      .scalar(ByteView{value.data(), size_of(of_.shape.type)})
      .vector(x, Access::read)
      .vector(b, Access::rw)
      .over_rows(sparsity.row_set.total_size(), rows_columns_bytes(mat, rows));
}

void MatrixKernels::zero(MatState& mat) {
  const auto& form = mat.values.form();
  Call(*this, mat, MatrixOperation::zero, "kiln_zero")
      .values(Access::write)
      .over_numbers(form.elements * form.dim, mat.values.bytes());
}

}  // namespace kiln::mesh
