/** Returns the properties of an object with these names. */
export function pick<T extends object, K extends keyof T>(value: T, names: readonly K[]): Pick<T, K> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has its member
  return Object.fromEntries(names.map(name => [name, value[name]])) as Pick<T, K>
}
