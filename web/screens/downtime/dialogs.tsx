import { useId, useState } from 'preact/hooks'
import type { DowntimeReasonResponse } from '../../../schema/records/downtime-reason.ts'
import type { DowntimeRecordResponse } from '../../../schema/requests/downtime-records.ts'
import { reasonTitle } from '../../data/reason-groups.ts'
import { useLocale } from '../../texts/locale.ts'
import { Dialog, DialogFoot } from '../../ui/dialog.tsx'
import { Select, TextArea } from '../../ui/field.tsx'
import { type Part, personal } from './use-downtime-changes.ts'

interface DialogFrame {
  readonly reasons: readonly DowntimeReasonResponse[]
  readonly onClose: () => void
}

interface PartProps extends DialogFrame {
  readonly title: string
  readonly text?: string | undefined
  readonly first: Part
  readonly needsReason: boolean
  readonly onSave: (part: Part) => void
}

/** Asks for a reason and a note. */
export function ReasonDialog({ title, text, reasons, first, needsReason, onSave, onClose }: PartProps) {
  const { t } = useLocale()
  const [part, setPart] = useState(
    needsReason && first.reasonId === null ? { ...first, reasonId: reasons[0]?.id ?? null } : first,
  )
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          onSave(part)
        }}
      >
        {text !== undefined && <p>{text}</p>}
        <PartFields reasons={reasons} part={part} needsReason={needsReason} onPart={setPart} />
        <DialogFoot submit={t.keys.save} disabled={needsReason && part.reasonId === null} onClose={onClose} />
      </form>
    </Dialog>
  )
}

interface SplitProps extends DialogFrame {
  readonly stop: DowntimeRecordResponse
  readonly nowMs: number
  readonly onSave: (at: string, before: Part, after: Part) => void
}

/** Asks where a stop is split, and for the reasons of its parts. */
export function SplitDialog({ stop, nowMs, reasons, onSave, onClose }: SplitProps) {
  const { t, format } = useLocale()
  const words = t.downtime
  const id = useId()
  const startMs = Date.parse(stop.startAt)
  const endMs = stop.endAt === null ? nowMs : Date.parse(stop.endAt)
  const seconds = Math.max(1, Math.floor((endMs - startMs - 1) / 1000))
  const stepS = seconds > 1800 ? 60 : seconds > 300 ? 10 : 1
  const [afterS, setAfterS] = useState(Math.max(1, Math.round(seconds / 2 / stepS) * stepS))
  const current = { reasonId: personal(stop), note: stop.note ?? '' }
  const [before, setBefore] = useState<Part>(current)
  const [after, setAfter] = useState<Part>({
    reasonId: reasons.find(reason => reason.id !== current.reasonId)?.id ?? null,
    note: '',
  })
  const atMs = startMs + afterS * 1000
  const isSame = before.reasonId === after.reasonId
  return (
    <Dialog title={words.splitTitle} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (!isSame) onSave(new Date(atMs).toISOString(), before, after)
        }}
      >
        <p>{words.splitText(format.dateTime(stop.startAt), format.dateTime(endMs))}</p>
        <div class="field">
          <label for={id}>{words.splitShown(format.time(atMs))}</label>
          <input
            id={id}
            type="range"
            min={Math.min(stepS, seconds)}
            max={seconds}
            step={stepS}
            value={afterS}
            aria-valuetext={`${format.time(atMs)}, ${format.duration(atMs - startMs)}`}
            onInput={event => setAfterS(Number(event.currentTarget.value))}
          />
          <p class="hint">
            {format.duration(atMs - startMs)} · {format.duration(endMs - atMs)}
          </p>
        </div>
        <div class="columns">
          <fieldset class="stack">
            <legend>{words.before}</legend>
            <PartFields reasons={reasons} part={before} onPart={setBefore} />
          </fieldset>
          <fieldset class="stack">
            <legend>{words.after}</legend>
            <PartFields reasons={reasons} part={after} onPart={setAfter} />
          </fieldset>
        </div>
        {isSame && (
          <p class="fault" role="status">
            {words.same}
          </p>
        )}
        <DialogFoot submit={t.keys.save} disabled={isSame} onClose={onClose} />
      </form>
    </Dialog>
  )
}

interface PartFieldsProps {
  readonly reasons: readonly DowntimeReasonResponse[]
  readonly part: Part
  readonly needsReason?: boolean
  readonly onPart: (part: Part) => void
}

function PartFields({ reasons, part, needsReason = false, onPart }: PartFieldsProps) {
  const { t } = useLocale()
  const words = t.downtime
  const options = [
    ...(needsReason ? [] : [{ value: '', title: t.reports.absent.uncategorized }]),
    ...reasons.map(reason => ({ value: String(reason.id), title: reasonTitle(reason) })),
  ]
  return (
    <>
      <Select
        label={t.terms.reason}
        value={part.reasonId === null ? '' : String(part.reasonId)}
        options={options}
        onValue={value => onPart({ ...part, reasonId: value === '' ? null : Number(value) })}
      />
      {part.reasonId !== null && (
        <TextArea
          label={t.terms.note}
          hint={words.noteHint}
          rows={3}
          maxLength={4000}
          value={part.note ?? ''}
          onValue={note => onPart({ ...part, note })}
        />
      )}
    </>
  )
}
