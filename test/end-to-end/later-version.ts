import packageJson from '../../package.json' with { type: 'json' }
import { logFormat } from '../../schema/commands/command-log.ts'
import { addImport, create, type FileChange, replace } from '../support/addition.ts'

/** Version of the later version. */
export const laterVersion = '99.0.0'

/** Value of the column `written_by` that the later version adds to documents; documents of this version have 0. */
export const laterWriter = 99

const machineCommands = 'processors/registrar/commands/machine.ts'

/**
 * Changes of the project that make a later version of it: a migration with which this version can work and its column, a field of
 * machines, and a member of the messages to processors. A machine with the field needs a later format of the log.
 * `newest`: number of the newest migration of this version.
 */
export function laterChanges(newest: number): readonly FileChange[] {
  return [
    replace('package.json', `"version": "${packageJson.version}"`, `"version": "${laterVersion}"`),
    create(
      migrationPath(newest + 1),
      `-- The version that wrote a document.\n-- Compatible from: ${padded(newest)}\n` +
        'ALTER TABLE hours ADD COLUMN IF NOT EXISTS written_by UInt32;\n',
    ),
    replace(
      'clickhouse/documents/document-block.ts',
      "dateTimeColumn('slot', slots),",
      `dateTimeColumn('slot', slots),\n    uint32Column('written_by', new Uint32Array(documents.length).fill(${laterWriter})),`,
    ),
    replace(
      'ingest/consume/forward.ts',
      'value: Buffer.from(JSON.stringify(message))',
      `value: Buffer.from(JSON.stringify({ ...message, writtenBy: ${laterWriter} }))`,
    ),
    replace(
      'schema/records/machine.ts',
      '  microstopMs: t.withDefault(',
      '  location: t.withDefault(t.nullable(t.shortText), null),\n  microstopMs: t.withDefault(',
    ),
    replace(
      'schema/commands/command-log.ts',
      `export const logFormat = ${logFormat}`,
      `export const logFormat = ${logFormat + 1}`,
    ),
    addImport(machineCommands, "import { logFormat } from '../../../schema/commands/command-log.ts'"),
    addImport(machineCommands, "import { changeTo } from '../deciding/command.ts'"),
    replace(
      machineCommands,
      "  return put('machine', after.id, before, after)",
      `  const decision = put('machine', after.id, before, after)
  const installation = records.installation()
  if (after.location === null || !installation) return decision
  const raised = changeTo('installation', installation.id, installation, { ...installation, format: logFormat })
  return { ...decision, changes: [...decision.changes, ...raised] }`,
    ),
  ]
}

/** A migration with which earlier versions cannot work. */
export function breakingMigration(number: number): FileChange {
  return create(migrationPath(number), '-- Earlier versions cannot work with it.\nDROP TABLE IF EXISTS unused;\n')
}

function migrationPath(number: number): string {
  return `clickhouse/migrations/${padded(number)}-later.sql`
}

function padded(number: number): string {
  return String(number).padStart(3, '0')
}
