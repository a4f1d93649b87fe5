import { useMemo, useState } from 'preact/hooks'
import { RequestFailed } from '../../../data/client.ts'
import { newId } from '../../../data/new-id.ts'
import { newMachineStaleMs } from '../../../data/silence.ts'
import { useViewer } from '../../../data/viewer.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextArea } from '../../../ui/field.tsx'
import { Failure } from '../../../ui/notice.tsx'
import { Table } from '../../../ui/table.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { keyOf, maxPasted, type PastedMachine, readPasted } from './pasted.ts'
import type { PlantRecords } from './plant.ts'

interface PasteDialogProps {
  readonly plant: PlantRecords
  readonly onClose: () => void
  readonly onChanged: () => void
}

/** Adds many machines from a pasted list: shows each row with its problems, and adds nothing while there is one. */
export function PasteDialog({ plant, onClose, onChanged }: PasteDialogProps) {
  const { t, format } = useLocale()
  const own = t.settings.machines
  const { client } = useViewer()
  const action = useAction()
  const [text, setText] = useState('')
  const [done, setDone] = useState(0)
  const rows = useMemo(() => readPasted(text, plant), [text, plant])
  const wrong = rows.filter(({ problems }) => problems.length > 0)
  const add = async () => {
    let added = 0
    try {
      for (const row of rows) {
        await client.call('PUT /machines/:id', {
          params: { id: newId() },
          body: { staleAfterMs: newMachineStaleMs, ...bodyOf(row, plant) },
        })
        setDone(++added)
      }
    } catch (error) {
      // The remaining rows stay in the text box: the next click adds only these.
      setText(rows.slice(added).map(lineOf).join('\n'))
      const reason = error instanceof RequestFailed ? error.message : String(error)
      throw new Error(own.stoppedAt(rows[added]?.name ?? '', reason), { cause: error })
    } finally {
      onChanged()
    }
    onClose()
  }
  return (
    <Dialog title={own.pasteTitle} onClose={onClose} isStubborn={action.isBusy}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (rows.length > 0 && wrong.length === 0) action.run(add)
        }}
      >
        <TextArea
          label={own.pasteLabel}
          hint={`${own.pasteHint} ${own.pasteMost(format.count(maxPasted))}`}
          rows={6}
          spellcheck={false}
          value={text}
          onValue={setText}
        />
        <p role="status">{rows.length > 0 && own.pasteCount(format.count(rows.length), format.count(wrong.length))}</p>
        {rows.length > 0 && <Preview rows={[...wrong, ...rows.filter(row => !wrong.includes(row))]} />}
        {action.error !== null && (
          <Failure error={action.error instanceof Error ? action.error.message : action.error} />
        )}
        <div class="dialog-foot">
          <Button text={t.keys.cancel} disabled={action.isBusy} onClick={onClose} />
          <Button
            look="primary"
            text={action.isBusy ? own.adding(format.count(done), format.count(rows.length)) : own.addAll}
            disabled={action.isBusy || rows.length === 0 || wrong.length > 0}
          />
        </div>
      </form>
    </Dialog>
  )
}

/** Maximum number of rows that are drawn: those with errors first. */
const maxShown = 100

function Preview({ rows }: { readonly rows: readonly PastedMachine[] }) {
  const { t } = useLocale()
  const words = t.settings
  const own = words.machines
  return (
    <div class="preview" tabIndex={0} role="region" aria-label={own.preview}>
      <Table
        columns={[
          { title: own.row, cell: ({ row }) => row },
          { title: t.terms.name, isHeader: true, cell: ({ name }) => name || '–' },
          { title: own.erpMachineId, cell: ({ erpMachineId }) => erpMachineId || '–' },
          { title: own.make, cell: ({ make, model }) => [make, model].filter(Boolean).join(' ') || '–' },
          {
            title: own.check,
            cell: ({ problems }) =>
              problems.length === 0 ? (
                own.fine
              ) : (
                <ul class="fault">
                  {problems.map(({ code, value }) => (
                    <li key={code + value}>{own.problems[code](value)}</li>
                  ))}
                </ul>
              ),
          },
        ]}
        rows={rows.slice(0, maxShown)}
        keyOf={({ row }) => row}
      />
    </div>
  )
}

function bodyOf({ name, erpMachineId, make, model, groupNames, scheduleName }: PastedMachine, plant: PlantRecords) {
  const named = (item: { readonly name: string }, wanted: string) => keyOf(item.name) === keyOf(wanted)
  const orNull = (text: string) => (text === '' ? null : text)
  return {
    name,
    erpMachineId: orNull(erpMachineId),
    make: orNull(make),
    model: orNull(model),
    machineGroupIds: groupNames.flatMap(wanted => plant.groups.find(group => named(group, wanted))?.id ?? []),
    scheduleId: plant.schedules.find(schedule => named(schedule, scheduleName))?.id ?? null,
  }
}

function lineOf({ name, erpMachineId, make, model, groupNames, scheduleName }: PastedMachine): string {
  return [name, erpMachineId, make, model, groupNames.join(','), scheduleName].join('\t')
}
