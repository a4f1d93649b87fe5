import { hasScope, manages, type Viewer } from '../../data/viewer.ts'
import type { Texts } from '../../texts/en.ts'
import type { LazyComponent } from '../../ui/use-module.ts'
import type * as Records from './parts/records.ts'

/** A part of the settings, and the viewers that may open it. */
export interface SettingsPart extends LazyComponent {
  readonly name: keyof Texts['settings']['parts']
  readonly allows: (viewer: Viewer) => boolean
}

const changesMachines = (viewer: Viewer) => hasScope(viewer, 'machine')

/** A part that changes records: their name is that of the part. */
function records(name: keyof typeof Records, allows: SettingsPart['allows']): SettingsPart {
  return { name, allows, load: async () => ({ screen: (await import('./parts/records.ts'))[name] }) }
}

/** Every part, in the order of the screen. */
export const settingsParts: readonly SettingsPart[] = [
  records('machines', changesMachines),
  records('groups', changesMachines),
  records('schedules', changesMachines),
  records('reasons', viewer => hasScope(viewer, 'annotation')),
  records('types', viewer => hasScope(viewer, 'part-adjustment') && hasScope(viewer, 'reporting')),
  records('operators', viewer => hasScope(viewer, 'operator')),
  records('users', manages),
  records('company', changesMachines),
  { name: 'audit', allows: changesMachines, load: () => import('./parts/audit.tsx') },
  { name: 'system', allows: changesMachines, load: () => import('./parts/system.tsx') },
]
