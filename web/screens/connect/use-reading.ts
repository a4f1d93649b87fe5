import { useEffect, useRef } from 'preact/hooks'
import type { DiscoverInput, Discovery } from '../../../schema/requests/connector-trial.ts'
import { useViewer } from '../../data/viewer.ts'
import { type Action, useAction } from '../../ui/use-action.ts'
import { toDiscovery } from './found.ts'

/** A reading of a source. There is one at a time: a second one would find each value again. */
export interface Reading extends Omit<Action, 'run'> {
  readonly start: (input: DiscoverInput) => void
  readonly stop: () => void
}

/** Reads a source, and calls `onFound` for each part of what it has. Stops with the page. */
export function useReading(onFound: (found: Discovery) => void): Reading {
  const { client } = useViewer()
  const { run, ...action } = useAction()
  const control = useRef<AbortController | null>(null)
  const stop = () => control.current?.abort()
  useEffect(() => stop, [])
  const start = (input: DiscoverInput) =>
    run(() => {
      const { signal } = (control.current = new AbortController())
      const onLine = (line: unknown) => onFound(toDiscovery(line))
      return client.readLines('connectors/discover', input, { signal, onLine })
    })
  return { ...action, start, stop }
}
