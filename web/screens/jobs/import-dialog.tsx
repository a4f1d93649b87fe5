import { useState } from 'preact/hooks'
import type { importPreview } from '../../../schema/requests/job-import.ts'
import type { Infer } from '../../../schema/types.ts'
import { RequestFailed } from '../../data/client.ts'
import { useViewer } from '../../data/viewer.ts'
import { addressOf } from '../../router/address.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Labelled, Select } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { useAction } from '../../ui/use-action.ts'
import { Flag } from '../../records/fields.tsx'

const formats = ['mm', 'vendorVisual', 'vendorLN'] as const

interface Choice {
  readonly file: File | null
  readonly type: (typeof formats)[number]
  readonly autoArchive: boolean
  readonly allowEmpty: boolean
}

interface ImportDialogProps {
  readonly onClose: () => void
  readonly onImported: () => void
}

/** Imports a file of jobs: first a preview with all errors, then, without errors, the import. */
export function ImportDialog({ onClose, onImported }: ImportDialogProps) {
  const { t, format, language } = useLocale()
  const words = t.jobs
  const [choice, setChoice] = useState<Choice>({ file: null, type: 'mm', autoArchive: false, allowEmpty: false })
  const { action, preview, isDone, look, apply, forget } = useImport(choice, onImported)
  const [isMissing, setMissing] = useState(false)
  const choose = (changes: Partial<Choice>) => {
    setChoice({ ...choice, ...changes })
    // Another selection may have another effect: the preview is requested again.
    forget()
  }
  return (
    <Dialog title={words.importTitle} onClose={onClose} isStubborn={action.isBusy}>
      <form
        onSubmit={event => {
          event.preventDefault()
          setMissing(choice.file === null)
          if (choice.file) look()
        }}
      >
        <p>
          {words.importText} <a href={addressOf('docs/guides/job-import', { language })}>{words.guide}</a>
        </p>
        <ChoiceFields choice={choice} isMissing={isMissing && choice.file === null} onChoose={choose} />
        <p role="status" class="done">
          {isDone
            ? words.applied
            : preview &&
              words.previewText(
                format.count(preview.created),
                format.count(preview.changed),
                format.count(preview.archived),
              )}
          {!isDone && preview?.skippedRows !== undefined && ` ${words.skippedRows(format.count(preview.skippedRows))}`}
        </p>
        <ImportErrors error={action.error} />
        <div class="dialog-foot">
          <Button text={isDone ? t.app.close : t.keys.cancel} disabled={action.isBusy} onClick={onClose} />
          <Button look={preview ? '' : 'primary'} text={words.preview} disabled={action.isBusy} />
          {preview && <Button look="primary" text={words.apply} disabled={action.isBusy} onClick={apply} />}
        </div>
      </form>
    </Dialog>
  )
}

/** Looks at what an import would do, and does it; a preview hasScope for one choice. */
function useImport(choice: Choice, onImported: () => void) {
  const { client } = useViewer()
  const action = useAction()
  const [preview, setPreview] = useState<Infer<typeof importPreview> | null>(null)
  const [isDone, setDone] = useState(false)
  const forget = () => {
    setPreview(null)
    setDone(false)
  }
  const query = { type: choice.type }
  const look = () =>
    action.run(async () => {
      forget()
      setPreview(await client.call('POST /jobs/import/preview', { query, body: formOf(choice) }))
    })
  const apply = () =>
    action.run(async () => {
      await client.call('POST /jobs/import', { query, body: formOf(choice) })
      setPreview(null)
      setDone(true)
      onImported()
    })
  return { action, preview, isDone, look, apply, forget }
}

function formOf({ file, autoArchive, allowEmpty }: Choice): FormData {
  const form = new FormData()
  if (file) form.append('csvFile', file)
  for (const [name, isOn] of Object.entries({ autoArchive, allowEmpty })) form.append(name, String(isOn))
  return form
}

interface ChoiceFieldsProps {
  readonly choice: Choice
  readonly isMissing: boolean
  readonly onChoose: (changes: Partial<Choice>) => void
}

function ChoiceFields({ choice, isMissing, onChoose }: ChoiceFieldsProps) {
  const words = useLocale().t.jobs
  return (
    <>
      <Labelled label={words.file} error={isMissing ? words.noFile : undefined}>
        {control => (
          <input
            {...control}
            type="file"
            accept=".csv,.txt,.xlsx"
            aria-invalid={isMissing}
            onChange={event => onChoose({ file: event.currentTarget.files?.[0] ?? null })}
          />
        )}
      </Labelled>
      <Select
        label={words.format}
        value={choice.type}
        options={formats.map(value => ({ value, title: words.formats[value] }))}
        onValue={type => onChoose({ type })}
      />
      {(['autoArchive', 'allowEmpty'] as const).map(name => (
        <Flag key={name} label={words[name]} isOn={choice[name]} onChange={isOn => onChoose({ [name]: isOn })} />
      ))}
    </>
  )
}

function ImportErrors({ error }: { readonly error: unknown }) {
  const { t, format } = useLocale()
  const words = t.jobs
  if (error === null) return null
  if (!(error instanceof RequestFailed) || error.errors.length === 0) return <Failure error={error} />
  return (
    <>
      <p class="notice problem" role="alert">
        {words.faultCount(format.count(error.errors.length))}
      </p>
      <div class="preview" tabIndex={0} role="region" aria-label={words.fault}>
        <Table
          columns={[
            { title: words.where, cell: ({ field }) => (field === 'csvFile' ? words.wholeFile : field) },
            { title: words.fault, cell: ({ message }) => message },
          ]}
          rows={error.errors}
          keyOf={({ field, message }) => field + message}
        />
      </div>
    </>
  )
}
