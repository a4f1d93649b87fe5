import { useState } from 'preact/hooks'
import type { ScheduleResponse } from '../../../../schema/records/schedule.ts'
import { newId } from '../../../data/new-id.ts'
import { useViewer } from '../../../data/viewer.ts'
import { FormErrors } from '../../../records/record-form.tsx'
import type { RecordFormProps } from '../../../records/record-kind.ts'
import { shopDate } from '../../../time/shop-date.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogFoot, RemoveDialog } from '../../../ui/dialog.tsx'
import { Field, Select } from '../../../ui/field.tsx'
import { useAction } from '../../../ui/use-action.ts'
import { Holidays } from './holidays.tsx'
import { Shifts } from './shifts.tsx'
import { type EditedVersion, useVersions, type Versions } from './use-versions.ts'
import { Week } from './week.tsx'

/** Form of a schedule. A version is effective until the next one: a new version does not change the past. */
export function ScheduleEditor({ item, onClose, onChanged }: RecordFormProps<ScheduleResponse>) {
  const { t } = useLocale()
  const words = t.settings
  const own = words.schedules
  const { client, company, startOfDay } = useViewer()
  const action = useAction()
  const today = shopDate(client.now(), { timeZone: company.timeZone, startOfDay })
  const [schedule] = useState(() => item ?? newSchedule())
  const [name, setName] = useState(schedule.name)
  const versions = useVersions(schedule.versions, today)
  const [exceptions, setExceptions] = useState(schedule.exceptions)
  const [isDropping, setDropping] = useState(false)
  const titleOf = useVersionTitle()
  const save = async () => {
    await client.call('PUT /schedules/:id', {
      params: { id: schedule.id },
      body: { name, versions: [...versions.all], exceptions: [...exceptions] },
    })
    onClose()
    onChanged()
  }
  const { index, shown: version } = versions
  const isNew = item === null
  const isPast = !isNew && version !== undefined && (version.effectiveFrom ?? '') <= today
  return (
    <Dialog title={isNew ? own.add : t.records.editOf(schedule.name)} onClose={onClose}>
      <form
        class="schedule-form"
        onSubmit={event => {
          event.preventDefault()
          action.run(save)
        }}
      >
        <Field label={t.terms.name} required value={name} error={action.errorOf('name')} onValue={setName} />
        <VersionHead versions={versions} onDrop={() => setDropping(true)} />
        {isPast && <p class="notice">{own.pastNotice}</p>}
        {version && (
          <VersionForm
            version={version}
            weekLabel={own.weekOf(name)}
            onChange={versions.change}
            errorOf={field => action.errorOf(`versions[${index}].${field}`)}
          />
        )}
        <Holidays
          exceptions={exceptions}
          today={today}
          onChange={setExceptions}
          errorOf={at => action.errorOf(`exceptions[${at}].date`)}
        />
        <FormErrors error={action.error} shown={['name']} />
        <DialogFoot submit={t.keys.save} disabled={action.isBusy} onClose={onClose} />
      </form>
      {isDropping && (
        <RemoveDialog
          title={`${own.dropVersion}: ${titleOf(version)}?`}
          text={own.dropVersionText}
          submit={own.dropVersion}
          onClose={() => setDropping(false)}
          onRemove={async () => {
            versions.drop()
            setDropping(false)
          }}
        />
      )}
    </Dialog>
  )
}

function newSchedule(): ScheduleResponse {
  return { id: newId(), name: '', versions: [{ effectiveFrom: null, shifts: [] }], exceptions: [] }
}

function useVersionTitle(): (version: EditedVersion | undefined) => string {
  const { t, format } = useLocale()
  const own = t.settings.schedules
  return version =>
    version === undefined || version.effectiveFrom === null ? own.always : own.since(format.date(version.effectiveFrom))
}

function VersionHead({ versions, onDrop }: { readonly versions: Versions; readonly onDrop: () => void }) {
  const own = useLocale().t.settings.schedules
  const titleOf = useVersionTitle()
  return (
    <div class="version-head">
      <Select
        label={own.version}
        value={String(versions.index)}
        options={versions.all.map((each, at) => ({ value: String(at), title: titleOf(each) }))}
        onValue={chosen => versions.show(Number(chosen))}
      />
      <Button text={own.newVersion} onClick={versions.add} />
      {versions.all.length > 1 && <Button text={own.dropVersion} onClick={onDrop} />}
    </div>
  )
}

interface VersionFormProps {
  readonly version: EditedVersion
  /** Describes the drawn week to screen readers. */
  readonly weekLabel: string
  readonly onChange: (changes: Partial<EditedVersion>) => void
  readonly errorOf: (field: string) => string | undefined
}

function VersionForm({ version, weekLabel, onChange, errorOf }: VersionFormProps) {
  const own = useLocale().t.settings.schedules
  const { firstDayOfWeek } = useViewer()
  return (
    <>
      {version.effectiveFrom !== null && (
        <Field
          label={own.effectiveFrom}
          type="date"
          required
          value={version.effectiveFrom}
          error={errorOf('effectiveFrom')}
          onValue={effectiveFrom => onChange({ effectiveFrom })}
        />
      )}
      <Week shifts={version.shifts} firstDay={firstDayOfWeek} label={weekLabel} />
      <Shifts shifts={version.shifts} onChange={shifts => onChange({ shifts })} errorOf={errorOf} />
    </>
  )
}
