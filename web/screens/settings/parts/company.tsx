import { useState } from 'preact/hooks'
import type { CompanySettings } from '../../../../schema/records/company.ts'
import { thresholdNames } from '../../../../schema/threshold-names.ts'
import { useApplication } from '../../../data/application.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer-context.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Failure, Loading } from '../../../ui/notice.tsx'
import type { Draft, FieldSpec } from '../fields.tsx'
import { RecordForm } from '../record-form.tsx'
import { useSettingsTexts } from '../settings-texts.ts'

/** Name, clock and thresholds of the company. */
function Company() {
  const { t } = useLocale()
  const own = useSettingsTexts().company
  const { client } = useViewer()
  const { enter } = useApplication()
  const [isSaved, setSaved] = useState(false)
  const { value, error, reload } = useLoad(() => client.call('GET /settings'), [client])
  return (
    <>
      <h2>{own.title}</h2>
      <p class="lead">{own.intro}</p>
      {error !== null && <Failure error={error} onRetry={reload} />}
      {value === null ? (
        error === null && <Loading />
      ) : (
        <section class="card">
          <RecordForm
            fields={fieldsOf(t, own)}
            draft={draftOf(value)}
            submit={t.keys.save}
            onSubmit={async draft => {
              setSaved(false)
              await client.call('PUT /settings', { body: bodyOf(value, draft) })
              setSaved(true)
              reload()
              await enter()
            }}
          />
          <datalist id="zones">
            {Intl.supportedValuesOf('timeZone').map(zone => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          <p role="status" class="done">
            {isSaved && own.saved}
          </p>
        </section>
      )}
    </>
  )
}

type Words = ReturnType<typeof useSettingsTexts>['company']

function fieldsOf(t: ReturnType<typeof useLocale>['t'], own: Words): readonly FieldSpec[] {
  return [
    { kind: 'text', name: 'companyName', label: t.setUp.companyName, required: true },
    {
      kind: 'text',
      name: 'timeZone',
      label: t.setUp.timeZone,
      hint: t.setUp.timeZoneHint,
      required: true,
      list: 'zones',
    },
    { kind: 'time', name: 'startOfDay', label: t.setUp.startOfDay, hint: t.setUp.startOfDayHint, required: true },
    {
      kind: 'choice',
      name: 'firstDayOfWeek',
      label: own.firstDayOfWeek,
      options: own.weekdays.map((title, index) => ({ value: String(index + 1), title })),
    },
    {
      kind: 'choice',
      name: 'scheduledBy',
      label: own.scheduledBy,
      hint: own.scheduledByHint,
      options: (['shift', 'job'] as const).map(value => ({ value, title: own.scheduledByOptions[value] })),
    },
    { kind: 'flag', name: 'autoProduction', label: own.autoProduction, hint: own.autoProductionHint },
    { kind: 'number', name: 'operatorMaxHours', label: own.operatorMaxHours, required: true },
    { kind: 'number', name: 'maxSampleAgeDays', label: own.maxSampleAgeDays, required: true },
    ...thresholdNames.map((name): FieldSpec => ({
      kind: 'number',
      name: `thresholds.${name}`,
      label: `${own.thresholds[name]} (%)`,
      required: true,
    })),
  ]
}

function draftOf(settings: CompanySettings): Draft {
  const { companyName, timeZone, startOfDay, scheduledBy, autoProduction } = settings
  const percents = thresholdNames.map(name => {
    const value = settings.thresholds[name]
    return [`thresholds.${name}`, value === null ? '' : String(Math.round(value * 10_000) / 100)]
  })
  return {
    companyName,
    timeZone,
    startOfDay,
    scheduledBy,
    autoProduction,
    firstDayOfWeek: String(settings.firstDayOfWeek),
    operatorMaxHours: String(settings.operatorMaxHours),
    maxSampleAgeDays: String(settings.maxSampleAgeDays),
    ...Object.fromEntries(percents),
  }
}

/** Settings that the form does not show stay as they are. */
function bodyOf(settings: CompanySettings, draft: Draft): CompanySettings {
  const text = (name: string) => String(draft[name])
  const ratio = (name: string) => Number(text(`thresholds.${name}`)) / 100
  const thresholds = Object.fromEntries(thresholdNames.map(name => [name, ratio(name)]))
  return {
    ...settings,
    companyName: text('companyName'),
    timeZone: text('timeZone'),
    startOfDay: text('startOfDay'),
    firstDayOfWeek: Number(draft['firstDayOfWeek']),
    scheduledBy: draft['scheduledBy'] === 'job' ? 'job' : 'shift',
    autoProduction: draft['autoProduction'] === true,
    operatorMaxHours: Number(draft['operatorMaxHours']),
    maxSampleAgeDays: Number(draft['maxSampleAgeDays']),
    thresholds: { ...settings.thresholds, ...thresholds },
  }
}

export { Company as part }
