import type { PlantRecords } from './plant.ts'

/** A machine of a pasted list, and what is wrong with its row. */
export interface PastedMachine {
  /** Row of the list, from 1. */
  readonly row: number
  readonly name: string
  readonly erpMachineId: string
  readonly make: string
  readonly model: string
  readonly groupNames: readonly string[]
  readonly scheduleName: string
  readonly problems: readonly PastedProblem[]
}

/** `value`: the text that is at fault. */
export interface PastedProblem {
  readonly code:
    | 'tooManyRows'
    | 'noName'
    | 'tooLong'
    | 'twice'
    | 'exists'
    | 'erpTwice'
    | 'erpExists'
    | 'noGroup'
    | 'noSchedule'
    | 'tooMany'
  readonly value: string
}

const longest = 200
const maxColumns = 6

/** Machines that one list may have. */
export const maxPasted = 2000

/**
 * Parses a list from a spreadsheet: one machine per row, columns separated by tabs or semicolons: name, ERP id, make,
 * model, groups (separated by commas), schedule. Reports all errors. Of the rows beyond the limit it reports only the
 * first, with the number of rows.
 */
export function readPasted(text: string, { machines, groups, schedules }: PlantRecords): readonly PastedMachine[] {
  const known = {
    names: new Set(machines.map(({ name }) => keyOf(name))),
    erpIds: new Set(machines.flatMap(({ erpMachineId }) => (erpMachineId === null ? [] : [erpMachineId]))),
    groups: new Set(groups.map(({ name }) => keyOf(name))),
    schedules: new Set(schedules.map(({ name }) => keyOf(name))),
  }
  const names = new Set<string>()
  const erpIds = new Set<string>()
  const rows = text.split('\n').map((line, index) => ({ line: line.replace(/\r$/, ''), row: index + 1 }))
  const filled = rows.filter(({ line }) => line.trim() !== '')
  return filled.slice(0, maxPasted + 1).map(({ line, row }, index) => {
    const cells = line.split(line.includes('\t') ? '\t' : ';').map(cell => cell.trim())
    const [name = '', erpMachineId = '', make = '', model = '', groupText = '', scheduleName = ''] = cells
    const groupNames = groupText.split(',').flatMap(each => (each.trim() === '' ? [] : [each.trim()]))
    const problems: PastedProblem[] = []
    const check = (code: PastedProblem['code'], value: string, hasProblem: boolean) => {
      if (hasProblem) problems.push({ code, value })
    }
    check('tooManyRows', String(filled.length), index === maxPasted)
    check('tooMany', cells.slice(maxColumns).join(' '), cells.length > maxColumns)
    check('noName', '', name === '')
    for (const cell of cells) check('tooLong', `${cell.slice(0, 20)}…`, cell.length > longest)
    check('twice', name, name !== '' && names.has(keyOf(name)))
    check('exists', name, known.names.has(keyOf(name)))
    check('erpTwice', erpMachineId, erpIds.has(erpMachineId))
    check('erpExists', erpMachineId, known.erpIds.has(erpMachineId))
    for (const group of groupNames) check('noGroup', group, !known.groups.has(keyOf(group)))
    check('noSchedule', scheduleName, scheduleName !== '' && !known.schedules.has(keyOf(scheduleName)))
    names.add(keyOf(name))
    if (erpMachineId !== '') erpIds.add(erpMachineId)
    return { row, name, erpMachineId, make, model, groupNames, scheduleName, problems }
  })
}

/** Names that differ in letter case alone are taken for one. */
export function keyOf(name: string): string {
  return name.toLowerCase()
}
