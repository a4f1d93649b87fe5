type Defined<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> }

/** Returns the object without properties that are undefined. */
export function defined<T extends object>(values: T): Defined<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the remaining properties keep their types
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}
