import { hasScope, manages, type Viewer } from '../../data/viewer.ts'
import type { Texts } from '../../texts/en.ts'
import type { LazyComponent } from '../../ui/use-module.ts'

/** A part of the settings, and the viewers that may open it. */
export interface SettingsPart extends LazyComponent {
  readonly name: keyof Texts['settings']['parts']
  readonly allows: (viewer: Viewer) => boolean
}

const changesMachines = (viewer: Viewer) => hasScope(viewer, 'machine')

/** Every part, in the order of the screen. */
export const settingsParts: readonly SettingsPart[] = [
  { name: 'machines', allows: changesMachines, load: () => import('./parts/machines.tsx') },
  { name: 'groups', allows: changesMachines, load: () => import('./parts/groups.tsx') },
  { name: 'schedules', allows: changesMachines, load: () => import('./parts/schedules.tsx') },
  { name: 'reasons', allows: viewer => hasScope(viewer, 'annotation'), load: () => import('./parts/reasons.tsx') },
  {
    name: 'types',
    allows: viewer => hasScope(viewer, 'part-adjustment') && hasScope(viewer, 'reporting'),
    load: () => import('./parts/types.tsx'),
  },
  { name: 'operators', allows: viewer => hasScope(viewer, 'operator'), load: () => import('./parts/operators.tsx') },
  { name: 'users', allows: manages, load: () => import('./parts/users.tsx') },
  { name: 'company', allows: changesMachines, load: () => import('./parts/company.tsx') },
  { name: 'audit', allows: changesMachines, load: () => import('./parts/audit.tsx') },
  { name: 'system', allows: changesMachines, load: () => import('./parts/system.tsx') },
]
