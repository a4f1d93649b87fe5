/**
 * The Content-Security-Policy of a page whose scripts and styles are local files. Its components set styles, and its icons are data in
 * its style sheet; nothing is loaded from elsewhere. `more` are directives that only one page needs.
 */
export function pagePolicy(...more: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    ...more,
  ].join('; ')
}
