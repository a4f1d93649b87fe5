import { useIsLost } from '../data/use-is-lost.ts'
import { useViewer } from '../data/viewer.ts'
import { useLocale } from '../texts/locale.ts'

/** Reports are always a moment behind; more is worth a word. */
const notedLagMs = 5_000

interface ConnectionProps {
  /** null: nothing fails. */
  readonly error: unknown
  readonly isLive: boolean
  readonly isLoaded: boolean
}

/** Shows whether the data is live. */
export function ConnectionMark(props: ConnectionProps) {
  const { t } = useLocale()
  const { client } = useViewer()
  const isLost = useIsLost()
  const [kind, text] = isLost ? ['lost', t.connection.lost] : connectionOf(props, t.connection, client.lagMs)
  return (
    <p class="connection" data-kind={kind} role="status">
      {text}
    </p>
  )
}

type Words = ReturnType<typeof useLocale>['t']['connection']

function connectionOf({ error, isLive, isLoaded }: ConnectionProps, words: Words, lagMs: number): [string, string] {
  if (error !== null) return ['lost', words.lost]
  if (!isLoaded) return ['none', '']
  if (lagMs > notedLagMs) return ['behind', words.behind]
  return isLive ? ['live', words.live] : ['polling', words.polling]
}
