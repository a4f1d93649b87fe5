import { useState } from 'preact/hooks'
import type { AlertTargetResponse } from '../../../schema/records/alert-target.ts'
import { hasScope, useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { Dialog, RemoveDialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/notice.tsx'
import { Table } from '../../ui/table.tsx'
import type { AlertsData } from './alerts-data.ts'
import { TargetDialog } from './target-dialog.tsx'

interface TargetsProps {
  readonly data: AlertsData
  readonly onChanged: () => void
}

type Open =
  | { readonly kind: 'form'; readonly target: AlertTargetResponse | null }
  | { readonly kind: 'remove'; readonly target: AlertTargetResponse }
  | { readonly kind: 'secret'; readonly secret: string }

/** The users, mail addresses and webhooks that rules notify. */
export function Targets({ data, onChanged }: TargetsProps) {
  const { t } = useLocale()
  const words = t.alerts
  const mayChange = hasScope(useViewer(), 'alert')
  const [open, setOpen] = useState<Open | null>(null)
  const columns = [
    { title: t.terms.name, cell: ({ name }: AlertTargetResponse) => name },
    { title: words.targetFields.kind, cell: ({ kind }: AlertTargetResponse) => words.targetKinds[kind] },
    { title: words.address, cell: (target: AlertTargetResponse) => <Address target={target} data={data} /> },
    ...(mayChange
      ? [
          {
            title: t.keys.actions,
            class: 'actions' as const,
            cell: (target: AlertTargetResponse) => (
              <>
                <Button
                  look="quiet"
                  text={t.keys.edit}
                  of={target.name}
                  onClick={() => setOpen({ kind: 'form', target })}
                />
                <Button
                  look="quiet"
                  text={t.records.remove}
                  of={target.name}
                  onClick={() => setOpen({ kind: 'remove', target })}
                />
              </>
            ),
          },
        ]
      : []),
  ]
  return (
    <section class="stack" aria-labelledby="targets-title">
      <div class="page-head">
        <h2 id="targets-title">{words.targets}</h2>
        {mayChange && (
          <Button icon="plus" text={words.addTarget} onClick={() => setOpen({ kind: 'form', target: null })} />
        )}
      </div>
      {data.targets.length === 0 ? (
        <Empty text={words.noTargets} />
      ) : (
        <Table columns={columns} rows={data.targets} keyOf={({ id }) => id} />
      )}
      <Opened open={open} data={data} onOpen={setOpen} onChanged={onChanged} />
    </section>
  )
}

function Address({ target, data }: { readonly target: AlertTargetResponse; readonly data: AlertsData }) {
  const { t } = useLocale()
  const { kind, userId, addresses, url, disabledAt, disabledCause } = target
  const user = data.users.find(({ id }) => id === userId)
  const absent = data.users.length === 0 ? t.none : t.alerts.absentUser
  return (
    <>
      {kind === 'user' ? (user?.displayName ?? absent) : kind === 'mail' ? addresses.join(', ') : url}
      {disabledAt !== null && <span class="fault"> {t.alerts.disabled(disabledCause ?? '')}</span>}
    </>
  )
}

interface OpenedProps extends TargetsProps {
  readonly open: Open | null
  readonly onOpen: (open: Open | null) => void
}

function Opened({ open, data, onOpen, onChanged }: OpenedProps) {
  const { t } = useLocale()
  const words = t.alerts
  const { client } = useViewer()
  const close = () => onOpen(null)
  if (open === null) return null
  if (open.kind === 'form')
    return (
      <TargetDialog
        target={open.target}
        users={data.users}
        onClose={close}
        onSaved={secret => {
          onOpen(secret === undefined ? null : { kind: 'secret', secret })
          onChanged()
        }}
      />
    )
  if (open.kind === 'secret')
    return (
      <Dialog title={words.secretTitle} onClose={close}>
        <p>{words.secretText}</p>
        <Code label={words.secretTitle} text={open.secret} />
      </Dialog>
    )
  const { id, name } = open.target
  return (
    <RemoveDialog
      title={t.records.removeNamed(name)}
      text={words.removeTarget}
      submit={t.records.remove}
      onClose={close}
      onRemove={async () => {
        await client.call('DELETE /alert-targets/:id', { params: { id } })
        close()
        onChanged()
      }}
    />
  )
}
