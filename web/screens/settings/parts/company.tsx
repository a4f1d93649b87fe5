import type { CompanySettings } from '../../../../schema/records/company.ts'
import { thresholdNames } from '../../../../schema/threshold-names.ts'
import { useApplication } from '../../../data/application.ts'
import { useLoad } from '../../../data/use-load.ts'
import { useViewer } from '../../../data/viewer.ts'
import type { FieldSpec } from '../../../records/fields.tsx'
import { RecordForm } from '../../../records/record-form.tsx'
import type { Texts } from '../../../texts/en.ts'
import { useLocale } from '../../../texts/locale.ts'
import { Await } from '../../../ui/notice.tsx'
import { optionsIn } from './plant.ts'

/** The form has the day as a string. */
type CompanyBody = Omit<CompanySettings, 'firstDayOfWeek'> & { readonly firstDayOfWeek: string | number }

/** Name, clock and thresholds of the company. */
function Company() {
  const { t } = useLocale()
  const words = t.settings
  const own = words.company
  const { client } = useViewer()
  const { enter } = useApplication()
  const loaded = useLoad(() => client.call('GET /settings'), [client])
  const save = async (body: CompanyBody) => {
    await client.call('PUT /settings', { body: { ...body, firstDayOfWeek: Number(body.firstDayOfWeek) } })
    loaded.reload()
    await enter()
  }
  return (
    <>
      <h2>{words.parts.company}</h2>
      <p class="lead">{own.intro}</p>
      <Await loaded={loaded}>
        {settings => (
          <section class="card">
            <RecordForm
              fields={fieldsOf(t)}
              record={settings}
              submit={t.keys.save}
              saved={words.saved}
              // Settings that the form does not show stay unchanged.
              onSubmit={(body: Partial<CompanyBody>) => save({ ...settings, ...body })}
            />
            <datalist id="zones">
              {Intl.supportedValuesOf('timeZone').map(zone => (
                <option key={zone} value={zone} />
              ))}
            </datalist>
          </section>
        )}
      </Await>
    </>
  )
}

function fieldsOf({ setUp, terms, settings: { company: own, machines } }: Texts): readonly FieldSpec[] {
  return [
    { kind: 'text', name: 'companyName', label: setUp.companyName, required: true },
    { kind: 'text', name: 'timeZone', label: setUp.timeZone, hint: setUp.timeZoneHint, required: true, list: 'zones' },
    { kind: 'time', name: 'startOfDay', label: setUp.startOfDay, hint: setUp.startOfDayHint, required: true },
    {
      kind: 'choice',
      name: 'firstDayOfWeek',
      label: own.firstDayOfWeek,
      options: terms.weekdays.map((title, index) => ({ value: String(index + 1), title })),
    },
    {
      kind: 'choice',
      name: 'scheduledBy',
      label: own.scheduledBy,
      hint: own.scheduledByHint,
      options: optionsIn(own.scheduledByOptions),
    },
    { kind: 'flag', name: 'autoProduction', label: own.autoProduction, hint: own.autoProductionHint },
    {
      kind: 'number',
      name: 'microstopMs',
      label: machines.microstop,
      hint: own.microstopHint,
      required: true,
      show: ms => ms / 1000,
      store: seconds => Math.round(seconds * 1000),
    },
    { kind: 'number', name: 'operatorMaxHours', label: own.operatorMaxHours, required: true },
    { kind: 'number', name: 'maxSampleAgeDays', label: own.maxSampleAgeDays, required: true },
    ...thresholdNames.map((name): FieldSpec => ({
      kind: 'number',
      name: `thresholds.${name}`,
      label: `${own.thresholds[name]} (%)`,
      required: true,
      show: ratio => Math.round(ratio * 10_000) / 100,
      store: percent => percent / 100,
    })),
  ]
}

export { Company as screen }
