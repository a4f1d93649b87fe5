import type { Health, Readiness } from '../../../../schema/requests/health.ts'
import { useLocale } from '../../../texts/locale.ts'

interface ProblemsProps {
  readonly health: Health
  readonly readiness: Readiness
}

/** Why the process cannot serve requests, and the conditions that require attention, the oldest first. */
export function Problems({ health: { problems, roles, version }, readiness }: ProblemsProps) {
  const { t, format } = useLocale()
  const own = t.settings.system
  const titleOf = (code: string) => own.conditions[code] ?? code
  return (
    <section class="system-problems" aria-labelledby="problems">
      <h3 id="problems">{own.problems}</h3>
      {!readiness.ready && (
        <p class="notice problem" role="alert">
          {own.notReady(readiness.reasons.map(titleOf).join(', '))}
        </p>
      )}
      {problems.length === 0 && <p class="hint">{own.noProblems}</p>}
      <ul class="letters">
        {problems.map(({ code, message, since, process, topic, partition, offset }) => (
          <li key={`${code} ${topic} ${partition} ${since}`} class="card">
            <h4>
              {titleOf(code)} <code>{code}</code>
            </h4>
            <p lang="en">{message}</p>
            <p class="hint">
              {own.problemPlace(format.dateTime(since), process)}
              {topic !== undefined && ` · ${[topic, partition, offset].filter(part => part !== undefined).join(' / ')}`}
            </p>
          </li>
        ))}
      </ul>
      <p class="hint">{own.roles(version, roles.join(', '))}</p>
    </section>
  )
}
