/** Whether a text has the form of a signed JWT; the content is not checked. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}
