/** Installation that a store belongs to, as far as the store tells it. */
export type StoreInstallation =
  | { readonly state: 'known'; readonly id: string }
  /** It holds nothing. */
  | { readonly state: 'empty' }
  /** A first start began and did not end. */
  | { readonly state: 'unfinished' }
  /** It holds data, but no id: another program wrote it, or an older version. */
  | { readonly state: 'unmarked' }

/** Installation that a log belongs to, as far as the log tells it. */
export type LogInstallation =
  | { readonly state: 'known'; readonly id: string; readonly format: number }
  | { readonly state: 'empty' }
  | { readonly state: 'unmarked' }
