const place = 'takt-key'

/** The key from the address (`#key=…`, which is taken out of it) or the one that this tab keeps; null: none. */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key')
  if (given) {
    history.replaceState(null, '', location.pathname + location.search)
    keepKey(given)
  }
  return sessionStorage.getItem(place)
}

export function keepKey(key) {
  sessionStorage.setItem(place, key)
}

export function forgetKey() {
  sessionStorage.removeItem(place)
}
