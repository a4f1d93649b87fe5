import { useIsLost } from '../../data/use-is-lost.ts'
import { useViewer } from '../../data/viewer.ts'
import { useLocale } from '../../texts/locale.ts'
import type { FloorState } from './floor-data.ts'

/** Reports are always a moment behind; more is worth a word. */
const notedLagMs = 5_000

/** Shows whether the data is live. */
export function ConnectionMark({ state }: { readonly state: FloorState }) {
  const { t } = useLocale()
  const { client } = useViewer()
  const isLost = useIsLost()
  const [kind, text] = isLost ? ['lost', t.connection.lost] : connectionOf(state, t.connection, client.lagMs)
  return (
    <p class="connection" data-kind={kind} role="status">
      {text}
    </p>
  )
}

type Words = ReturnType<typeof useLocale>['t']['connection']

function connectionOf({ error, isLive, machines }: FloorState, words: Words, lagMs: number): [string, string] {
  if (error !== null) return ['lost', words.lost]
  if (machines === null) return ['none', '']
  if (lagMs > notedLagMs) return ['behind', words.behind]
  return isLive ? ['live', words.live] : ['polling', words.polling]
}
