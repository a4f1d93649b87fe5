import { int, unsafe } from './types.ts'

declare const kind: unique symbol

/** Integer key of a machine in messages and rows: the `ref` of its record, unique in the installation. */
export type MachineRef = number & { readonly [kind]: 'machine' }

/** Integer key of a company in messages and rows: the `ref` of its record, unique in the installation. */
export type CompanyRef = number & { readonly [kind]: 'company' }

/** Casts a number to a machine ref, for values from outside the type system: new records, rows, tests. */
export function asMachineRef(ref: number): MachineRef {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only function that converts a number to such a ref
  return ref as MachineRef
}

/** Casts a number to a company ref, for values from outside the type system: new records, rows, tests. */
export function asCompanyRef(ref: number): CompanyRef {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the only function that converts a number to such a ref
  return ref as CompanyRef
}

/** Ref that no machine has, for "no machine". */
export const noMachine = asMachineRef(0)
/** Ref that no company has, for "no company": queries with it find nothing. */
export const noCompany = asCompanyRef(0)

/** Schema of a machine's ref in a record. */
export const machineRefSchema = unsafe<MachineRef>(int)
/** Schema of a company's ref in a record. */
export const companyRefSchema = unsafe<CompanyRef>(int)
