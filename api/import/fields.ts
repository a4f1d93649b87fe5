/** Fields of a job file: `job` fields are the same in each row of a job, `center` ones are of its work center. */
export const fields = {
  name: { of: 'job', kind: 'text', meaning: 'Name of the job; required.' },
  part: { of: 'job', kind: 'text', meaning: 'Name of the part.' },
  operation: { of: 'job', kind: 'text', meaning: 'Name of the operation.' },
  lot: { of: 'job', kind: 'text', meaning: 'Name of the lot.' },
  description: { of: 'job', kind: 'longText', meaning: 'Any text.' },
  due_date: {
    of: 'job',
    kind: 'date',
    meaning: 'When the job is due: a date (its first instant in UTC) or a date-time.',
  },
  quantity: { of: 'job', kind: 'whole', meaning: 'Parts required, a whole number.' },
  partvalue: { of: 'job', kind: 'number', meaning: 'Value of a part.' },
  default_expectedparttime: { of: 'job', kind: 'partTime', meaning: 'Expected time of a part, ms.' },
  default_idealparttime: { of: 'job', kind: 'partTime', meaning: 'Ideal time of a part, ms.' },
  default_setuptime: { of: 'job', kind: 'setupTime', meaning: 'Expected time of a setup, s.' },
  default_partcountmultiplier: {
    of: 'job',
    kind: 'amount',
    meaning: 'Parts made for each one that the machine counts.',
  },
  default_actualparts: {
    of: 'job',
    kind: 'amount',
    meaning: 'Parts made for every `default_partcountmultiplier` that the machine counts.',
  },
  warningpercent: { of: 'job', kind: 'percent', meaning: 'Percent of the parts goal below which there is a warning.' },
  failurepercent: { of: 'job', kind: 'percent', meaning: 'Percent of the parts goal below which it has failed.' },
  workcenter: { of: 'center', kind: 'text', meaning: 'Name or erpMachineId of a machine, or name of a machine group.' },
  expectedparttime: { of: 'center', kind: 'partTime', meaning: 'Expected time of a part at the work center, ms.' },
  idealparttime: { of: 'center', kind: 'partTime', meaning: 'Ideal time of a part at the work center, ms.' },
  setuptime: { of: 'center', kind: 'setupTime', meaning: 'Expected time of a setup at the work center, s.' },
  partcountmultiplier: {
    of: 'center',
    kind: 'amount',
    meaning: 'As `default_partcountmultiplier`, at the work center.',
  },
  actualparts: { of: 'center', kind: 'amount', meaning: 'As `default_actualparts`, at the work center.' },
} as const satisfies Readonly<Record<string, Field>>

interface Field {
  readonly of: 'job' | 'center'
  readonly kind: 'text' | 'longText' | 'date' | 'whole' | 'amount' | 'number' | 'percent' | 'partTime' | 'setupTime'
  readonly meaning: string
}

export type FieldName = keyof typeof fields
export type FieldKind = Field['kind']

/** Every field, in the order of the docs. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the object above
export const fieldNames = Object.keys(fields) as readonly FieldName[]
