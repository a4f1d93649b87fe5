import { useEffect, useState } from 'preact/hooks'
import type { MachineListItem } from '../../../schema/records/machine.ts'
import { openChannel } from '../../data/live-channel.ts'
import { newId } from '../../data/new-id.ts'
import { newMachineStaleMs } from '../../data/silence.ts'
import { useLoad } from '../../data/use-load.ts'
import { manages, useViewer } from '../../data/viewer.ts'
import { addressOf } from '../../router/address.ts'
import { Link, useQuery } from '../../router/router.tsx'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { serviceAddress } from '../../ui/commands.ts'
import { Chooser } from '../../ui/chooser.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Await, Failure } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import { Toggles } from '../../ui/toggles.tsx'
import { useAction } from '../../ui/use-action.ts'
import { useForm } from '../../ui/use-form.ts'
import { FollowedSamples } from './machine-samples.tsx'
import { commandOf, type Way, ways } from './commands.ts'

/** Gets a machine's first sample in: record, key, command, arrival. */
export function SendSamples() {
  const { t } = useLocale()
  const { client } = useViewer()
  const loaded = useLoad(() => client.call('GET /machines'), [client])
  const [query, change] = useQuery()
  const machine = loaded.value?.find(({ id }) => id === query.get('machine')) ?? null
  const [key, setKey] = useState<string | null>(null)
  return (
    <>
      <p class="lead">{t.connect.intro}</p>
      <Await loaded={loaded}>
        {machines => (
          <ol class="steps">
            <li class="card">
              <h2>{t.connect.stepMachine}</h2>
              <MachineChoice
                machines={machines}
                machine={machine}
                onChoose={id => {
                  change({ machine: id })
                  if (!machines.some(each => each.id === id)) loaded.reload()
                }}
              />
            </li>
            <li class="card">
              <h2>{t.connect.stepKey}</h2>
              <KeyStep machine={machine} value={key} onMade={setKey} />
            </li>
            <li class="card">
              <h2>{t.connect.stepSend}</h2>
              <SendStep machine={machine} apiKey={key} />
            </li>
            <li class="card">
              <h2>{t.connect.stepArrives}</h2>
              {machine ? <Arrival key={machine.id} machine={machine} /> : <p class="hint">{t.connect.noneChosen}</p>}
            </li>
          </ol>
        )}
      </Await>
    </>
  )
}

interface ChoiceProps {
  readonly machines: readonly MachineListItem[]
  readonly machine: MachineListItem | null
  readonly onChoose: (id: string) => void
}

function MachineChoice({ machines, machine, onChoose }: ChoiceProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const options = machines.map(({ id, name: title }) => ({ value: id, title }))
  const form = useForm({ name: '' }, async body => {
    const id = newId()
    await client.call('PUT /machines/:id', { params: { id }, body: { ...body, staleAfterMs: newMachineStaleMs } })
    form.reset()
    onChoose(id)
  })
  return (
    <>
      {machines.length > 0 && (
        <Chooser
          label={t.terms.machine}
          value={machine?.id ?? ''}
          options={[{ value: '', title: t.connect.newMachine }, ...options]}
          onValue={onChoose}
        />
      )}
      {machine === null && (
        <form class="row" onSubmit={form.onSubmit}>
          <Field label={t.connect.newName} autocomplete="off" {...form.field('name')} />
          <Button look="primary" text={t.connect.add} disabled={form.isBusy} />
        </form>
      )}
      <Failure error={form.error} />
    </>
  )
}

interface KeyStepProps {
  readonly machine: MachineListItem | null
  readonly value: string | null
  readonly onMade: (key: string | null) => void
}

function KeyStep({ machine, value, onMade }: KeyStepProps) {
  const { t } = useLocale()
  const viewer = useViewer()
  const action = useAction()
  const make = async () => {
    const name = t.connect.keyName(machine?.name ?? '')
    const { key } = await viewer.client.call('POST /api-keys', { body: { name, scopes: ['ingest.activity'] } })
    onMade(key)
  }
  if (!manages(viewer)) return <p class="hint">{t.connect.keyNeedsUser}</p>
  return (
    <>
      <p class="hint">{t.connect.keyText}</p>
      {value === null ? (
        <Button
          icon="keys"
          text={t.keys.createTitle}
          disabled={action.isBusy || !machine}
          onClick={() => action.run(make)}
        />
      ) : (
        <Code label={t.keys.value} text={value} />
      )}
      <Failure error={action.error} />
    </>
  )
}

function SendStep({ machine, apiKey }: { readonly machine: MachineListItem | null; readonly apiKey: string | null }) {
  const { t, language } = useLocale()
  const [way, setWay] = useState<Way>('http')
  const text = { http: t.connect.httpText, kafka: t.connect.kafkaText, shdr: t.connect.shdrText }[way]
  return (
    <>
      <p>
        {t.connect.address}: <code>{serviceAddress}</code>
      </p>
      <Toggles
        label={t.connect.stepSend}
        value={way}
        options={ways.map(value => ({ value, title: t.connect.ways[value] }))}
        onValue={setWay}
      />
      <p class="hint">{text}</p>
      {machine ? (
        <Code label={t.connect.command} text={commandOf(way, machine, apiKey)} />
      ) : (
        <p class="hint">{t.connect.noneChosen}</p>
      )}
      <p>
        <a href={addressOf('docs/guides/connecting-machines', { language })}>{t.connect.guide}</a>
      </p>
    </>
  )
}

/** Update of a data item, as the channel of diagnostics sends it. */
interface ItemUpdate {
  readonly timestamp: string
  readonly key: string
  readonly type: string
  readonly value: string
}

const shownItems = 12

function Arrival({ machine }: { readonly machine: MachineListItem }) {
  const { t, format } = useLocale()
  const { client } = useViewer()
  const [items, setItems] = useState<ReadonlyMap<string, ItemUpdate>>(new Map())
  useEffect(() => {
    const channel = openChannel<ItemUpdate>({
      client,
      channel: 'diagnostics',
      onUpdate: update => setItems(before => new Map([...before, [update.key, update]])),
      onJoined: () => undefined,
    })
    channel.setMachines([machine.id])
    return () => channel.close()
  }, [client, machine.id])
  const latest = [...items.values()].sort((a, b) => (a.timestamp < b.timestamp ? 1 : -1)).slice(0, shownItems)
  if (latest.length === 0)
    return (
      <p class="arrival" data-on={false} role="status">
        <span class="lamp" /> {t.connect.waiting(machine.name)}
      </p>
    )
  return (
    <>
      <p class="arrival" data-on={true} role="status">
        <span class="lamp">
          <Icon name="check" size={16} />
        </span>
        {t.connect.arrived(machine.name)}
      </p>
      <FollowedSamples machineId={machine.id} everyMs={3_000} />
      <Table
        columns={[
          {
            title: t.connect.metric,
            cell: ({ key, type }) => (
              <>
                {key} <span class="hint">{type}</span>
              </>
            ),
          },
          { title: t.connect.value, cell: ({ value }) => value },
          { title: t.terms.time, cell: ({ timestamp }) => format.time(timestamp.replace(' ', 'T')) },
        ]}
        rows={latest}
        keyOf={({ key }) => key}
      />
      <Link to="" query={{ machine: machine.id }} class="button">
        {t.connect.toFloor}
      </Link>
    </>
  )
}
