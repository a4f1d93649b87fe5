import { useId, useState } from 'preact/hooks'
import { RequestFailed } from '../../data/client.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { serviceUrl } from '../../router/address.ts'
import { useLocale } from '../../texts/locale.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { Failure } from '../../ui/notice.tsx'
import { useAction } from '../../ui/use-action.ts'
import { Flag } from '../settings/fields.tsx'
import { useSettingsTexts } from '../settings/settings-texts.ts'

const formats = ['mm', 'vendorVisual', 'vendorLN'] as const

interface Preview {
  readonly created: number
  readonly changed: number
  readonly archived: number
}

interface ImportDialogProps {
  readonly onClose: () => void
  readonly onImported: () => void
}

/** Imports a file of jobs: first what it would do, with every fault; then, where there is none, it. */
export function ImportDialog({ onClose, onImported }: ImportDialogProps) {
  const { t, format } = useLocale()
  const words = useSettingsTexts().jobs
  const { client } = useViewer()
  const action = useAction()
  const id = useId()
  const [file, setFile] = useState<File | null>(null)
  const [type, setType] = useState<(typeof formats)[number]>('mm')
  const [flags, setFlags] = useState({ autoArchive: false, allowEmpty: false })
  const [preview, setPreview] = useState<Preview | null>(null)
  const [isDone, setDone] = useState(false)
  const [isMissing, setMissing] = useState(false)
  // Another choice may do something else: it is looked at anew.
  const again = () => {
    setPreview(null)
    setDone(false)
  }
  const body = () => {
    const form = new FormData()
    if (file) form.append('csvFile', file)
    for (const [name, isOn] of Object.entries(flags)) form.append(name, String(isOn))
    return form
  }
  const look = () =>
    action.run(async () => {
      again()
      setPreview(await client.call('POST /jobs/import/preview', { query: { type }, body: body() }))
    })
  const apply = () =>
    action.run(async () => {
      await client.call('POST /jobs/import', { query: { type }, body: body() })
      setPreview(null)
      setDone(true)
      onImported()
    })
  return (
    <Dialog title={words.importTitle} onClose={onClose} isStubborn={action.isBusy}>
      <form
        onSubmit={event => {
          event.preventDefault()
          setMissing(file === null)
          if (file) look()
        }}
      >
        <p>
          {words.importText} <a href={new URL('docs/guides/job-import', serviceUrl).pathname}>{words.guide}</a>
        </p>
        <div class="field">
          <label for={id}>{words.file}</label>
          <input
            id={id}
            type="file"
            accept=".csv,.txt,.xlsx"
            aria-invalid={isMissing && file === null}
            aria-describedby={`${id}-note`}
            onChange={event => {
              setFile(event.currentTarget.files?.[0] ?? null)
              again()
            }}
          />
          <p id={`${id}-note`} class="fault">
            {isMissing && file === null && words.noFile}
          </p>
        </div>
        <Select
          label={words.format}
          value={type}
          options={formats.map(value => ({ value, title: words.formats[value] }))}
          onValue={chosen => {
            setType(chosen)
            again()
          }}
        />
        {(['autoArchive', 'allowEmpty'] as const).map(name => (
          <Flag
            key={name}
            label={words[name]}
            isOn={flags[name]}
            onChange={isOn => {
              setFlags({ ...flags, [name]: isOn })
              again()
            }}
          />
        ))}
        <p role="status" class="done">
          {isDone
            ? words.applied
            : preview &&
              words.previewText(
                format.count(preview.created),
                format.count(preview.changed),
                format.count(preview.archived),
              )}
        </p>
        <ImportFaults error={action.error} />
        <div class="dialog-foot">
          <button type="button" class="button" disabled={action.isBusy} onClick={onClose}>
            {isDone ? t.app.close : t.keys.cancel}
          </button>
          <button type="submit" class={preview ? 'button' : 'button primary'} disabled={action.isBusy}>
            {words.preview}
          </button>
          {preview && (
            <button type="button" class="button primary" disabled={action.isBusy} onClick={apply}>
              {words.apply}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** Every fault of the file, by its place. */
function ImportFaults({ error }: { readonly error: unknown }) {
  const { format } = useLocale()
  const words = useSettingsTexts().jobs
  if (error === null) return null
  if (!(error instanceof RequestFailed) || error.faults.length === 0) return <Failure error={error} />
  return (
    <>
      <p class="notice problem" role="alert">
        {words.faultCount(format.count(error.faults.length))}
      </p>
      <div class="preview" tabIndex={0} role="region" aria-label={words.fault}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{words.where}</th>
              <th scope="col">{words.fault}</th>
            </tr>
          </thead>
          <tbody>
            {error.faults.map(({ field, message }) => (
              <tr key={field + message}>
                <th scope="row">{field === 'csvFile' ? words.wholeFile : field}</th>
                <td data-label={words.fault}>{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
