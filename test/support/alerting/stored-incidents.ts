import type { IncidentChange, KnownIncident } from '../../../respond/incidents/incident-change.ts'

/** Applies changes to incidents as the registrar does. Incidents survive as text, as in the log. */
export class StoredIncidents {
  #text = '[]'
  #count = 0

  get all(): readonly KnownIncident[] {
    const parsed: KnownIncident[] = JSON.parse(this.#text, (_, value: unknown) =>
      value === 'never' ? Infinity : value,
    )
    return parsed
  }

  apply(changes: readonly IncidentChange[], clockMs: number): void {
    for (const change of changes) this.#store(this.#applied(this.all, change, clockMs))
  }

  /** A user resolves the unresolved incident. */
  resolveByUser(clockMs: number): void {
    const resolved = { state: 'resolved', cause: 'user', resolvedMs: clockMs }
    this.#store(this.all.map(incident => (incident.state === 'open' ? Object.assign(incident, resolved) : incident)))
  }

  #applied(all: readonly KnownIncident[], change: IncidentChange, clockMs: number): readonly KnownIncident[] {
    if (change.type === 'open') return [...all, this.#opened(change.span, clockMs)]
    return all.map(incident => (incident.id === change.id ? changed(incident, change) : incident))
  }

  #opened(span: Extract<IncidentChange, { type: 'open' }>['span'], clockMs: number): KnownIncident {
    const isOpen = span.endMs === Infinity
    return {
      id: `incident-${++this.#count}`,
      state: isOpen ? 'open' : 'resolved',
      cause: isOpen ? null : 'condition',
      reopened: span.episodes.length - 1,
      startedMs: span.startMs,
      openedMs: span.openedMs,
      endedMs: span.endMs,
      detectedMs: clockMs,
      resolvedMs: isOpen ? null : span.endMs,
    }
  }

  #store(incidents: readonly KnownIncident[]): void {
    this.#text = JSON.stringify(incidents, (_, value: unknown) => (value === Infinity ? 'never' : value))
  }
}

function changed(incident: KnownIncident, change: Exclude<IncidentChange, { type: 'open' }>): KnownIncident {
  if (change.type === 'retract') return { ...incident, state: 'retracted' }
  const times = { ...incident, ...change.times }
  switch (change.type) {
    case 'correct':
      return times
    case 'resume':
      return { ...times, state: 'open', cause: null, resolvedMs: null }
    case 'resolve':
      return { ...times, state: 'resolved', cause: change.cause, resolvedMs: change.resolvedMs }
  }
}
