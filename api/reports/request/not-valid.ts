import { type Fault, fault, type FaultCode } from '../../../schema/errors.ts'
import { nearest } from '../../http/warnings.ts'

/** Adds the fault of a name that is not valid: with the valid names, and the one that was likely meant. */
export function addNotValid(
  faults: Fault[],
  { field, code, noun, value }: { field: string; code: FaultCode; noun: string; value: unknown },
  valid: readonly string[],
): void {
  const told = `${noun} ${shown(value)} is not valid`
  faults.push(fault(field, code, faults.length < mostHelped ? `${told}; ${help(value, valid)}` : told))
}

/** An answer tells no more faults than these. */
const mostHelped = 20
/** Length of the list of names, UTF-16 units. */
const longestList = 880

function help(value: unknown, valid: readonly string[]): string {
  const meant = typeof value === 'string' ? nearest(value, valid) : null
  const list = listed(valid)
  return meant === null ? `valid are ${list}` : `did you mean ${meant}? Valid are ${list}`
}

function listed(names: readonly string[]): string {
  const list = names.join(', ')
  return list.length <= longestList ? list : `${list.slice(0, list.lastIndexOf(',', longestList))}, …`
}

/** A value of the caller in a message, at a length fit to read. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  return `'${text.length > 100 ? `${text.slice(0, 100)}…` : text}'`
}
