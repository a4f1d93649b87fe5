import { useState } from 'preact/hooks'
import { newId } from '../../data/new-id.ts'
import { useViewer } from '../../data/viewer-context.ts'
import { useLocale } from '../../texts/locale.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormDialog } from '../settings/record-form.tsx'
import { useSettingsTexts } from '../settings/settings-texts.ts'
import type { JobsData } from './jobs-data.ts'

interface StartDialogProps {
  readonly data: JobsData
  readonly onClose: () => void
  readonly onStarted: () => void
}

/** Starts a run on a machine, as an ERP does. */
export function StartDialog({ data, onClose, onStarted }: StartDialogProps) {
  const words = useSettingsTexts().jobs
  const { t } = useLocale()
  const { client } = useViewer()
  // Sent once more after a lost answer, it is the same run.
  const [runId] = useState(newId)
  const machines = data.machines.filter(({ erpMachineId }) => erpMachineId !== null)
  const jobs = [
    ...new Set(data.operations.filter(({ archivedAt }) => archivedAt === null).map(({ jobName }) => jobName)),
  ]
  if (machines.length === 0)
    return (
      <Dialog title={words.startTitle} onClose={onClose}>
        <p>{words.noErpIds}</p>
        <div class="dialog-foot">
          <button type="button" class="button primary" onClick={onClose}>
            {t.app.close}
          </button>
        </div>
      </Dialog>
    )
  return (
    <>
      <datalist id="jobs">
        {jobs.map(job => (
          <option key={job} value={job} />
        ))}
      </datalist>
      <FormDialog
        title={words.startTitle}
        fields={[
          {
            kind: 'choice',
            name: 'erpMachineId',
            label: words.machine,
            options: machines.map(({ name, erpMachineId }) => ({ value: erpMachineId ?? '', title: name })),
          },
          {
            kind: 'text',
            name: 'jobName',
            label: words.knownJob,
            hint: words.knownJobHint,
            required: true,
            list: 'jobs',
          },
          { kind: 'text', name: 'operationName', label: words.operation },
          { kind: 'text', name: 'lotName', label: words.lot },
          { kind: 'text', name: 'partName', label: words.part },
          { kind: 'number', name: 'quantityRequired', label: words.quantity, hint: words.quantityHint },
          { kind: 'flag', name: 'startInSetup', label: words.inSetup },
          { kind: 'text', name: 'erpJobOperationRunId', label: words.runId, hint: words.runIdHint },
        ]}
        draft={{
          erpMachineId: machines[0]?.erpMachineId ?? '',
          jobName: '',
          operationName: '',
          lotName: '',
          partName: '',
          quantityRequired: '',
          startInSetup: true,
          erpJobOperationRunId: '',
        }}
        submit={words.start}
        onClose={onClose}
        onSubmit={async draft => {
          const text = (name: string) => String(draft[name]).trim()
          const quantity = text('quantityRequired')
          await client.call('POST /erp/jobdispatch/start', {
            body: {
              erpJobOperationRunId: text('erpJobOperationRunId') || runId,
              erpMachineId: text('erpMachineId'),
              jobName: text('jobName'),
              operationName: text('operationName'),
              lotName: text('lotName'),
              partName: text('partName'),
              startInSetup: draft['startInSetup'] === true,
              ...(quantity !== '' && { quantityRequired: Number(quantity) }),
            },
          })
          onStarted()
        }}
      />
    </>
  )
}
