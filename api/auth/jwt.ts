/** Whether a text has the form of a signed JWT; what it says is not looked at. */
export function looksLikeJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)
}
