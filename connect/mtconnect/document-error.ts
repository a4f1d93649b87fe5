/** Fault of a document of an agent, which is rejected as a whole. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}
