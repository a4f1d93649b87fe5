import { useState } from 'preact/hooks'
import type { startRunInput } from '../../../schema/requests/job-dispatch.ts'
import type { Infer } from '../../../schema/types.ts'
import { newId } from '../../data/new-id.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { FormDialog } from '../../records/record-form.tsx'
import type { JobsData } from './jobs-data.ts'

/** An empty id of the run is left out. */
type StartBody = Omit<Infer<typeof startRunInput>, 'erpJobOperationRunId'> & { readonly erpJobOperationRunId?: string }

interface StartDialogProps {
  readonly data: Pick<JobsData, 'machines' | 'operations'>
  readonly onClose: () => void
  readonly onStarted: () => void
}

/** Starts a run on a machine, as an ERP does. */
export function StartDialog({ data, onClose, onStarted }: StartDialogProps) {
  const { t } = useLocale()
  const words = t.jobs
  const { client } = useViewer()
  // A repeated request after a lost response starts the same run.
  const [runId] = useState(newId)
  const machines = data.machines.filter(({ erpMachineId }) => erpMachineId !== null)
  const jobs = new Set(data.operations.filter(({ archivedAt }) => archivedAt === null).map(({ jobName }) => jobName))
  if (machines.length === 0)
    return (
      <Dialog title={words.start} onClose={onClose}>
        <p>{words.noErpIds}</p>
        <div class="dialog-foot">
          <Button look="primary" text={t.app.close} onClick={onClose} />
        </div>
      </Dialog>
    )
  return (
    <>
      <datalist id="jobs">
        {[...jobs].map(job => (
          <option key={job} value={job} />
        ))}
      </datalist>
      <FormDialog
        title={words.start}
        fields={[
          {
            kind: 'choice',
            name: 'erpMachineId',
            label: t.terms.machine,
            options: machines.map(({ name, erpMachineId }) => ({ value: erpMachineId ?? '', title: name })),
          },
          {
            kind: 'text',
            name: 'jobName',
            label: t.terms.job,
            hint: words.knownJobHint,
            required: true,
            list: 'jobs',
          },
          { kind: 'text', name: 'operationName', label: words.operation },
          { kind: 'text', name: 'lotName', label: words.lot },
          { kind: 'text', name: 'partName', label: words.part },
          { kind: 'number', name: 'quantityRequired', label: words.quantity, hint: words.quantityHint },
          { kind: 'flag', name: 'startInSetup', label: words.inSetup, initial: true },
          { kind: 'text', name: 'erpJobOperationRunId', label: words.runId, hint: words.runIdHint },
        ]}
        record={null}
        submit={words.start}
        onClose={onClose}
        onSubmit={async (body: StartBody) => {
          const erpJobOperationRunId = body.erpJobOperationRunId ?? runId
          await client.call('POST /erp/jobdispatch/start', { body: { ...body, erpJobOperationRunId } })
          onStarted()
        }}
      />
    </>
  )
}
