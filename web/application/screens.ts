import type { Scope } from '../../schema/scopes.ts'
import { hasScope, manages, type Viewer } from '../data/viewer.ts'
import { screen as Floor } from '../screens/floor/floor.tsx'
import { settingsParts } from '../screens/settings/parts.ts'
import type { Texts } from '../texts/en.ts'
import type { IconName } from '../ui/icon.tsx'
import type { LazyComponent } from '../ui/use-module.ts'

/** A screen of the application: its path, the viewers that may open it, and its module. */
export interface Screen extends LazyComponent {
  readonly path: string
  readonly title: keyof Texts['screens']
  /** Every screen of the navigation has an icon. */
  readonly icon?: IconName
  readonly isPublic?: boolean
  /** Shows figures of the past, which are wrong while the simulated history is generated. */
  readonly hasFigures?: boolean
  /** Fills the page: no navigation around it. */
  readonly isBare?: boolean
  readonly allows?: (viewer: Viewer) => boolean
}

type Title = Screen['title']
type Load = Screen['load']

/** A screen of figures for viewers with the scope. */
function figures(title: Title, icon: IconName, scope: Scope, load: Load): Screen {
  return { path: `app/${title}`, title, hasFigures: true, icon, allows: viewer => hasScope(viewer, scope), load }
}

function gate(path: string, title: Title, load: Load): Screen {
  return { path, title, isPublic: true, isBare: true, load }
}

const plantScreens: readonly Screen[] = [
  // The first screen is loaded with the application: in scripts of its own, its many small modules would be larger.
  { path: '', title: 'floor', hasFigures: true, icon: 'floor', load: () => Promise.resolve({ screen: Floor }) },
  {
    path: 'app/now',
    title: 'now',
    icon: 'now',
    allows: viewer => hasScope(viewer, 'incident.read'),
    load: () => import('../screens/now/now.tsx'),
  },
  figures('performance', 'chart', 'reporting', () => import('../screens/performance/performance.tsx')),
  figures('downtime', 'stop', 'reporting', () => import('../screens/downtime/downtime.tsx')),
  figures('quality', 'quality', 'reporting', () => import('../screens/quality/quality.tsx')),
  figures('alarms', 'alarms', 'reporting', () => import('../screens/alarms/alarms.tsx')),
  figures('incidents', 'incidents', 'reporting', () => import('../screens/incidents/incidents.tsx')),
  figures('machine', 'timeline', 'reporting', () => import('../screens/machine/machine.tsx')),
  {
    path: 'app/wall',
    title: 'wall',
    hasFigures: true,
    icon: 'wall',
    isBare: true,
    load: () => import('../screens/wall/wall.tsx'),
  },
  figures('jobs', 'jobs', 'erp.read', () => import('../screens/jobs/jobs.tsx')),
]

const configurationScreens: readonly Screen[] = [
  {
    path: 'app/connect',
    title: 'connect',
    icon: 'connect',
    allows: viewer => hasScope(viewer, 'machine'),
    load: () => import('../screens/connect/connect.tsx'),
  },
  {
    path: 'app/connectors',
    title: 'connectors',
    icon: 'connectors',
    allows: viewer => hasScope(viewer, 'connector.read'),
    load: () => import('../screens/connectors/connectors.tsx'),
  },
  {
    path: 'app/alerts',
    title: 'alerts',
    icon: 'alerts',
    allows: viewer => hasScope(viewer, 'alert.read'),
    load: () => import('../screens/alerts/alerts.tsx'),
  },
  {
    path: 'app/settings',
    title: 'settings',
    icon: 'settings',
    allows: viewer => settingsParts.some(part => part.allows(viewer)),
    load: () => import('../screens/settings/settings.tsx'),
  },
  { path: 'app/keys', title: 'keys', icon: 'keys', allows: manages, load: () => import('../screens/keys/keys.tsx') },
  {
    path: 'app/developers',
    title: 'developers',
    icon: 'developers',
    load: () => import('../screens/developers/developers.tsx'),
  },
  { path: 'app/account', title: 'account', icon: 'account', load: () => import('../screens/account/account.tsx') },
]

/** The lists of the navigation. */
export const navigation = [plantScreens, configurationScreens]

/** All screens, with those that are not in the navigation. */
export const screens: readonly Screen[] = [
  ...navigation.flat(),
  gate('app/sign-in', 'signIn', () => import('../screens/sign-in/sign-in.tsx')),
  gate('app/sign-on', 'signOn', () => import('../screens/sign-in/sign-on.tsx')),
  gate('app/set-up', 'setUp', () => import('../screens/set-up/set-up.tsx')),
]
