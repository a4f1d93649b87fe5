const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Compares names as people order them: `Lathe 2` before `Lathe 10`. */
export function byNaturalOrder(a: string, b: string): number {
  return collator.compare(a, b)
}
