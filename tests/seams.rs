//! One module per seam: what it decides, how several combine, what its failure means.

mod rewrite_tool_call;
mod tool_call;
mod tool_result;
