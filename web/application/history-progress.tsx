import { useLocale } from '../texts/locale.ts'

/** Shows how far the simulated history is, in place of figures that would be wrong. `share`: 0 to 1. */
export function HistoryProgress({ title, share }: { readonly title: string; readonly share: number }) {
  const { t, format } = useLocale()
  // All of it may be sent and not yet be in the reports.
  const shown = Math.min(0.99, share)
  return (
    <div class="page">
      <h1>{title}</h1>
      <section class="card history" aria-labelledby="history-title">
        <h2 id="history-title">{t.history.title}</h2>
        <progress aria-labelledby="history-title" value={shown} max={1} />
        <p class="lead">{t.history.text(format.percent(Math.floor(shown * 100) / 100, 0))}</p>
      </section>
    </div>
  )
}
