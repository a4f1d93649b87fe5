/** Returns the scheme, host and port of an address, to compare them with those of another one; null: it has none. */
export function originOf(address: string | null): string | null {
  const url = address === null ? null : URL.parse(address)
  return url === null ? null : `${url.protocol}//${url.host}`
}
