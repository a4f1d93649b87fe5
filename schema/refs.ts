import { int, unsafe } from './types.ts'

declare const kind: unique symbol

/** Number that stands for a machine in messages and rows: the record's `ref`. It is unique in the installation. */
export type MachineRef = number & { readonly [kind]: 'machine' }

/** Number that stands for a company in messages and rows: the record's `ref`. It is unique in the installation. */
export type CompanyRef = number & { readonly [kind]: 'company' }

/** Takes a number for the ref of a machine, where it comes from outside the types: a new record, a row, a test. */
export function asMachineRef(ref: number): MachineRef {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a number becomes a ref
  return ref as MachineRef
}

/** Takes a number for the ref of a company, where it comes from outside the types: a new record, a row, a test. */
export function asCompanyRef(ref: number): CompanyRef {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where a number becomes a ref
  return ref as CompanyRef
}

/** Stands where there is no machine: no machine has it. */
export const noMachine = asMachineRef(0)
/** Stands where there is no company: no company has it, so that nothing is found. */
export const noCompany = asCompanyRef(0)

/** A ref of a machine as a record has it. */
export const machineRefSchema = unsafe<MachineRef>(int)
/** A ref of a company as a record has it. */
export const companyRefSchema = unsafe<CompanyRef>(int)
