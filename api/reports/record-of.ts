/** A record with the same value under every name. */
export function recordOf<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  const record: Partial<Record<Name, Value>> = {}
  for (const name of names) record[name] = value
  if (isComplete(record, names)) return record
  throw new Error('invariant: a name is missing')
}

function isComplete<Name extends string, Value>(
  record: Partial<Record<Name, Value>>,
  names: readonly Name[],
): record is Record<Name, Value> {
  return names.every(name => name in record)
}
